import { table } from "arquero";
import { describe, expect, test } from "vitest";
import { toMimeBundle } from "../../../../src/tables/display/to-mime-bundle.js";

const html = async (columns: Readonly<Record<string, readonly unknown[]>>) =>
  String((await toMimeBundle(table(columns as Record<string, unknown[]>)))["text/html"]);
/** Columns of a name and a text. */
const wide = (count: number, text: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index}<`, [text, text]]));

describe("columns of a table on paper", () => {
  test("are all there where they fit", async () => {
    const shown = await html({ site: ["a", "b"], n: [1, 2], text: ["some words ".repeat(6), "x"] });
    expect(shown).not.toContain("do not fit");
    expect(shown).not.toContain("paper-");
  });

  test("are as many as are readable, and the others are named, on paper alone", async () => {
    const shown = await html(wide(30, "abcdefghijkl"));
    const kept = Number(/<table class="paper-(\d+)">/.exec(shown)?.[1]);
    expect(kept).toBeGreaterThan(3);
    expect(kept).toBeLessThan(12);
    expect(shown).toContain(`.paper-${kept} :is(th,td):nth-child(n + ${kept + 1}){display:none;}`);
    const names = Array.from({ length: 30 - kept }, (_, index) => `c${index + kept}&lt;`).join(", ");
    expect(shown).toContain(`style="display:none">Columns that do not fit on paper: ${names}.</div>`);
  });

  test("that are not in the output are counted", async () => {
    const shown = await html(wide(100, "abcdefghijkl"));
    const [, named = "", more] = /do not fit on paper: (.*?)(?: and (\d+) more)?\./.exec(shown) ?? [];
    const kept = Number(/paper-(\d+)"/.exec(shown)?.[1]);
    expect(kept + named.split(", ").length + Number(more)).toBe(100);
  });

  test("of one endless word are at least one", async () => {
    expect(await html(wide(3, "x".repeat(500)))).toContain('<table class="paper-2">');
    expect(await html({ a: ["界".repeat(80)], ...wide(12, "界".repeat(9)) })).toMatch(/class="paper-[3-5]"/);
  });
});
