// Makes docs/llms.txt (an index for assistants) and docs/llms-full.txt (the text of the pages) from the documentation.
// --check writes nothing and fails if a file is out of date.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { sections } from "./reference/pages.mjs";

const root = join(import.meta.dirname, "..");
const read = (path) => readFileSync(join(root, path), "utf8").replaceAll("\r\n", "\n");

/** Without comments and front matter. */
const visible = (markdown) => markdown.replace(/^---\n.*?^---\n/ms, "").replace(/<!--.*?-->\n*/gs, "");

const titleOf = (markdown) => /^# (.+)$/m.exec(visible(markdown))?.[1].replaceAll("`", "") ?? "";

/** The first sentence below the title, as plain text. Empty if a table, a list or a heading follows the title. */
function firstSentence(markdown) {
  const [paragraph = ""] = visible(markdown)
    .replace(/^.*?^# .*?\n+/ms, "")
    .split(/\n{2,}/);
  if (/^([#|!<-]|```)/.test(paragraph)) return "";
  const plain = paragraph.replaceAll("\n", " ").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return /^.*?[.:!?](?= [A-Z*`]|$)/.exec(plain.trim())?.[0].replace(/:$/, ".") ?? plain.trim();
}

/** A link of a page as a path from docs. */
function fromDocs(link, page) {
  if (/^([a-z]+:|#)/i.test(link)) return link;
  return posix.relative("docs", posix.join(posix.dirname(page), link));
}

function entry(path) {
  const markdown = read(path);
  const sentence = firstSentence(markdown);
  return `- [${titleOf(markdown)}](${posix.relative("docs", path)})${sentence ? `: ${sentence}` : ""}`;
}

function index() {
  const introduction = visible(read("README.md")).split(/\n{2,}/)[1];
  const lines = ["# Siteframe", "", `> ${introduction}`, "", visible(read("SKILL.md")).split(/\n{2,}/)[1], ""];
  for (const { text, pages = [], groups = [] } of sections) {
    for (const part of [{ text, pages }, ...groups.map((group) => ({ ...group, text: `${text}: ${group.text}` }))]) {
      if (part.pages.length > 0) lines.push(`## ${part.text}`, "", ...part.pages.map(entry), "");
    }
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

/** Long generated pages and pages about the project are in the index only. */
const isInFull = (path) =>
  !/^docs\/(api\/(README|siteframe)|cli|decisions|README)|^(AGENTS|CHANGELOG|CONTRIBUTING)/.test(path);

function full() {
  const paths = sections
    .flatMap(({ pages = [], groups = [] }) => [pages, ...groups.map((group) => group.pages)])
    .flat();
  const texts = ["README.md", ...paths.filter(isInFull)].map((path) => {
    const markdown = visible(read(path)).replace(/(\]\()([^)\s]+)(\))/g, (_, before, link, after) => {
      return `${before}${fromDocs(link, path)}${after}`;
    });
    return `<!-- ${path} -->\n\n${markdown.trim()}\n`;
  });
  return texts.join("\n");
}

const made = { "docs/llms.txt": index(), "docs/llms-full.txt": full() };
const stale = Object.entries(made).filter(([path, text]) => !existsSync(join(root, path)) || read(path) !== text);
if (!process.argv.includes("--check")) {
  for (const [path, text] of stale) writeFileSync(join(root, path), text);
} else if (stale.length > 0) {
  process.stderr.write(`Out of date: ${stale.map(([path]) => path).join(", ")}. Run npm run docs.\n`);
  process.exitCode = 1;
}
