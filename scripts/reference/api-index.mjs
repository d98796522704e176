import { readFileSync } from "node:fs";
import { join } from "node:path";
import { headings } from "./headings.mjs";

/**
 * The first page of the API reference: every public name, by task.
 *
 * @param {string} folder of the pages
 * @param {readonly string[]} pages
 * @param {string} names section about the names that the examples use
 * @returns {string} Markdown
 */
export function apiIndex(folder, pages, names) {
  const sections = pages.flatMap((page) => {
    const text = readFileSync(join(folder, page), "utf8");
    return [`## [\`${page.replace(".md", "")}\`](${page})`, text.split("\n")[2], ...tasks(page, headings(text))];
  });
  return `${["# API reference", "<!-- Made by `npm run docs` from the comments in src. -->", "Public names by entry point and task. Each heading is the name to import from.", ...sections, "## [Diagnostics](diagnostics.md)", "Meaning, severity and fix of each code.", "## [Service endpoints](service.md)", "Parameters, orders and page sizes of the API that Siteframe reads.", names.trim()].join("\n\n")}\n`;
}

function tasks(page, found) {
  const lines = [];
  for (const { level, text, anchor } of found) {
    if (level === 2) lines.push(`**[${text}](${page}#${anchor})**: `);
    if (level === 3) lines.push(`${lines.pop()}[\`${text}\`](${page}#${anchor}), `);
  }
  return lines.map((line) => line.replace(/, $/, ""));
}
