import fc from "fast-check";
import { expect, test } from "vitest";
import { renderMarkdown } from "../../../src/notebook/page/render-markdown.js";
import { html, md, svg } from "../../../src/tables/display/markup-tags.js";
import { escapeHtml } from "../../../src/tables/display/text.js";
import { randomRuns } from "../../support/random-runs.js";

/** The visible text of a page. */
function seen(page: string): string {
  return page
    .replaceAll("<br>", "\n")
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

const hostile = [
  "https://evil.example/login",
  "http://evil.example",
  "www.evil.example",
  "mail@evil.example",
  "ftp://evil.example",
  "Total\n===",
  "x\n---",
  "x\n\n1. y",
  "x\n\n    y",
  "    y",
  "\ty",
  "x\n\n> y",
  "x\r\n\r\n# y",
  "**y** __y__ ~~y~~ `y`",
  "<b>y</b> &lt; &#65;",
  "<br>",
  "[y](https://evil.example)",
  "![y](https://evil.example/x.png)",
  "[y]: https://evil.example",
  "a | b\n--- | ---\nc | d",
  "- [ ] y",
  "1) y",
  "```\ny\n```",
  "\\",
  "x\\\ny",
];

const pieces = fc
  .array(fc.oneof(fc.constantFrom(...hostile, ..."\n\r\t .:@/\\#>-*1`~|=<&[]()!"), fc.string()), { maxLength: 6 })
  .map((parts) => parts.join(""))
  // Markdown replaces NUL.
  .filter((text) => !text.includes("\0"));

test("md shows a value unchanged, without links, markup or blocks", () => {
  const check = (value: string) => {
    const lines = value.replaceAll(/\r\n|\r/g, "\n");
    expect(seen(renderMarkdown(String(md`a ${value} z`))), value).toBe(`<p>a ${lines} z</p>\n`);
    expect(seen(renderMarkdown(String(md`${value}z`))), value).toBe(`<p>${lines}z</p>\n`);
    expect(renderMarkdown(String(md`# a ${value} z`)), value).toMatch(/^<h1>a [\s\S]* z<\/h1>\n$/);
    expect(renderMarkdown(String(md`a ${value} z`)), value).not.toMatch(/<(?!\/?p>|br>)/);
  };
  for (const value of hostile) check(value);
  fc.assert(fc.property(pieces, check), { numRuns: randomRuns(500) });
});

test("html and svg show a value as text", () => {
  for (const value of hostile) {
    expect(String(html`<p>${value}</p>`)).toBe(`<p>${escapeHtml(value)}</p>`);
    expect(String(svg`<text>${value}</text>`)).toBe(`<text>${escapeHtml(value)}</text>`);
  }
});
