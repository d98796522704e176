import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../../src/notebook/page/render-markdown.js";

/** The number of each element. */
function elementsOf(page: string): Readonly<Record<string, number>> {
  const names = page.match(/<[a-z]\w*/g) ?? [];
  return Object.fromEntries(names.map((name) => [name.slice(1), names.filter((each) => each === name).length]));
}

describe("Markdown with deep nesting or many marks", () => {
  test.each([
    ["quotes", `${"> ".repeat(5000)}x`],
    ["quotes without spaces", `text\n\n${">".repeat(100_000)}x`],
    ["lists in one line", `${"- ".repeat(5000)}x`],
    ["numbered lists", `${"1. ".repeat(5000)}x`],
    ["lists by indentation", Array.from({ length: 600 }, (_, depth) => `${"  ".repeat(depth)}- x`).join("\n")],
  ])("%s are shown as plain text", (_, source) => {
    expect(elementsOf(renderMarkdown(source))).toEqual({ pre: 1, code: 1 });
  });

  test.each([
    ["underscores", "_a_a".repeat(30_000)],
    ["brackets", "[".repeat(100_000)],
    ["brackets of links", "[a](b ".repeat(20_000)],
    ["stars", "**a *b ".repeat(20_000)],
    ["backticks", "`a``".repeat(30_000)],
    ["tags", "a <a ".repeat(30_000)],
    ["pictures", "![".repeat(50_000)],
    ["tildes", "a ~a~~".repeat(30_000)],
  ])("%s leave only their paragraph plain", (_, marks) => {
    expect(elementsOf(renderMarkdown(`**before**\n\n${marks}\n\n**after**`))).toEqual({ p: 3, strong: 2 });
  });

  test("is rendered up to the limits", () => {
    expect(elementsOf(renderMarkdown(`${"> ".repeat(400)}x`))).toEqual({ blockquote: 400, p: 1 });
    expect(elementsOf(renderMarkdown("**a** ".repeat(400)))).toEqual({ p: 1, strong: 400 });
    expect(elementsOf(renderMarkdown(`${"*a **b ".repeat(100)}${"c** d* ".repeat(100)}`))).toEqual({
      p: 1,
      em: 100,
      strong: 100,
    });
  });
});
