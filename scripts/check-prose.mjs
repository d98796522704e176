// Checks the wording of the repository: comments, strings of three words or more, titles of tests, Markdown and notebooks.
// node scripts/check-prose.mjs            lists the places, and fails above the limits
// node scripts/check-prose.mjs FILES      lists the places of these files
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import jsTokens from "js-tokens";

/** Phrases to rewrite, and what to write instead. A few are idiomatic in their place, hence the limits. */
const phrases = [
  [/\b(?:is|are|was|were) (?:no|none)\b(?! (?:longer|more|less|fewer)\b)/i, "invalid, unknown, missing, not a"],
  [/\b(?:tells?|told|telling|foresees?|foreseen|heeds?)\b/i, "shows, lists, returns, reports, warns"],
  [/\b(?:says?|said|saying) (?:how|it|no|nothing|of|what|where|whether|why)\b/i, "reports, lists, explains"],
  [/\b(?:knows?|known) (?:neither|no|none|nothing|of)\b/i, "has, supports, contains"],
  [/(?:^|[.:;!?] )(?:What|Whatever|Who|Whoever|Whichever) [^?]{20,}[.:;](?= |$)/, "a noun as the subject"],
  [
    /(?:, where|^Where|[.:;] Where) (?:a|all|an|it|no|none|nothing|one|only|something|the|there|they)\b/,
    "if, when, unless",
  ],
  [/(?:^|[.:;] )Of (?:a|all|an|each|every|its|no|one|the|their|those|two|what)\b/, "the subject first"],
  [/\b(?:one|ones|that|those) (?:of which|that|which|who|whose)\b/i, "the noun again"],
  [/\b(?:nobody|somebody|whoever)\b/i, "a user, unknown, any"],
  [
    /\b(?:is|are|was|were) to (?:be|come|do|give|go|have|hold|know|lie|make|read|run|see|show|stand|take)\b/i,
    "must, should, can",
  ],
  [/\b(?:stands?|stood|lies|lay|lain)\b(?! (?:alone|for|in for|out|still)\b)/i, "is, are"],
  [/\b(?:comes?|came) to (?:a|an|be|have|it|know|lie|one|see|stand|the)\b/i, "becomes, reaches"],
  [/\bin place of\b/i, "instead of"],
  [/\banew\b/i, "again"],
  [/\bbut for\b/i, "except"],
  [/\blikewise\b/i, "also"],
  [/\b(?:mend|mends|mended|mending)\b/i, "fix, repair"],
  [/\b(?:a text|texts of|as texts|letters long|of letters)\b/i, "string, characters"],
  [/\bof (?:its own|one's own|our own|ours|their own|theirs|your own|yours)\b/i, "our, your, separate"],
];

/** At most so many places in a thousand words. */
const limits = { documentation: 0.5, everything: 0.5 };

const isDocumentation = (path) => /^(?:README\.md|docs\/|notebooks\/)/.test(path);
const isRead = (path) => [".ipynb", ".js", ".md", ".mjs", ".ts", ".txt"].includes(extname(path));
/** Generated from docstrings, which are read where they are written. */
const isGenerated = (path) => path.startsWith("docs/api/siteframe");

/** @returns lines of prose with their numbers */
function proseOf(path) {
  const text = readFileSync(path, "utf8");
  if (path.endsWith(".ipynb")) {
    const cells = JSON.parse(text).cells.filter(({ cell_type }) => cell_type === "markdown");
    return cells.flatMap(({ source }) => markdownLines([source].flat().join("")));
  }
  return /\.(?:md|txt)$/.test(path) ? markdownLines(text) : codeLines(text);
}

function markdownLines(text) {
  const code = (block) => block.replaceAll(/[^\n]/g, "");
  return text
    .replaceAll(/^ *(```|~~~).*?^ *\1/gms, code)
    .replaceAll(/`[^`\n]*`/g, "x")
    .replaceAll(/\]\([^)\n]*\)/g, "]")
    .split("\n")
    .map((prose, index) => ({ line: index + 1, prose }));
}

function codeLines(text) {
  const lines = [];
  let line = 1;
  for (const { type, value } of jsTokens(text)) {
    const isComment = /Comment$/.test(type);
    const isString = /^(?:StringLiteral|NoSubstitutionTemplate|Template)/.test(type) && value.split(" ").length > 3;
    if (isComment || (isString && !/\b(?:SELECT|FROM|JOIN|WHERE|CASE)\b/.test(value))) {
      for (const [index, each] of value.split("\n").entries()) {
        const prose = each.replace(/^\s*(?:\/\/|\/?\*+\/?)? ?|\s*\*\/$/g, "").replaceAll(/`[^`]*`/g, "x");
        lines.push({ line: line + index, prose: isString ? prose.replace(/^["'`}]|["'`]$|\$\{$/g, "") : prose });
      }
    }
    line += value.split("\n").length - 1;
  }
  return lines;
}

const given = process.argv.slice(2);
const files = given.length > 0 ? given : execFileSync("git", ["ls-files"], { encoding: "utf8" }).trim().split("\n");
const counts = { documentation: { words: 0, places: 0 }, everything: { words: 0, places: 0 } };
for (const path of files.filter((file) => isRead(file) && !isGenerated(file))) {
  // This file lists the phrases.
  if (path.endsWith("scripts/check-prose.mjs")) continue;
  const groups = isDocumentation(path) ? ["documentation", "everything"] : ["everything"];
  for (const { line, prose } of proseOf(path)) {
    const words = prose.match(/[a-z]{2,}/gi)?.length ?? 0;
    const matches = phrases.flatMap(([pattern, instead]) => {
      const [match] = pattern.exec(prose) ?? [];
      return match === undefined ? [] : [`${path}:${line}: ${match.trim().slice(0, 60)}  (${instead})`];
    });
    for (const group of groups) {
      counts[group].words += words;
      counts[group].places += matches.length;
    }
    if (matches.length > 0) console.log(matches.join("\n"));
  }
}
for (const [group, { words, places }] of Object.entries(counts)) {
  const share = (1000 * places) / Math.max(1, words);
  console.log(
    `${group}: ${places} places in ${words} words, ${share.toFixed(2)} in a thousand (limit ${limits[group]})`,
  );
  if (given.length === 0 && share > limits[group]) process.exitCode = 1;
}
