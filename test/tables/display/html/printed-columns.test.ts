import { table } from "arquero";
import { describe, expect, test } from "vitest";
import { toMimeBundle } from "../../../../src/tables/display/to-mime-bundle.js";
import { historyOf } from "../../../history/small-history.js";
import { change, feature } from "../../../support/records.js";

const html = async (columns: Readonly<Record<string, readonly unknown[]>>) =>
  String((await toMimeBundle(table(columns as Record<string, unknown[]>)))["text/html"]);
/** Columns with two equal strings each. */
const wide = (count: number, text: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index}<`, [text, text]]));

describe("columns of a table on paper", () => {
  test("are all printed if they fit", async () => {
    const shown = await html({ site: ["a", "b"], n: [1, 2], text: ["some words ".repeat(6), "x"] });
    expect(shown).not.toContain("Not printed");
    expect(shown).not.toContain("paper-");
  });

  test("break at hyphens of long words, but not of dates and short ids", async () => {
    const shown = await html({
      id: ["PL-0121", "PL-3"],
      text: ["a long-winded remark", "b"],
      due: ["2026-05-01", null],
    });
    expect(shown).toContain('<table class="whole-1-3">');
    expect(shown).toContain("table.whole-1-3 td:is(:nth-child(1),:nth-child(3)){white-space:nowrap}");
    expect(await html({ id: ["a-".repeat(20)], count: [-5] })).not.toContain("whole-");
  });

  test("are printed as long as they are readable, and the others are named on paper", async () => {
    const shown = await html(wide(30, "abcdefghijkl"));
    const kept = Number(/<table class="paper-(\d+)">/.exec(shown)?.[1]);
    expect(kept).toBeGreaterThan(3);
    expect(kept).toBeLessThan(12);
    expect(shown).toContain(`.paper-${kept} :is(th,td):is(:nth-child(n + ${kept + 1})){display:none}`);
    const names = Array.from({ length: 30 - kept }, (_, index) => `c${index + kept}&lt;`).join(", ");
    expect(shown).toContain(
      `style="display:none">${kept} of 30 columns printed, the page has all. Not printed: ${names}.</div>`,
    );
  });

  test("wrap if they are the widest and all columns then fit", async () => {
    const word = ["abcdefghijklmnopqrstuvwxyzabcdefghi"];
    const others = { before: ["OPEN"], after: ["CLOSED"], c: ["some words"] };
    const shown = await html({ id: [1], a: word, b: word, ...others });
    expect(shown).not.toContain("Not printed");
    expect(shown).toContain('<table class="wrapped-2 numbers-1">');
    expect(shown).toContain("table.wrapped-2 :is(th,td):is(:nth-child(2)){overflow-wrap:anywhere;min-width:0}");
    expect(await html({ id: [1], a: word, ...others })).not.toContain("wrapped-");
  });

  test("that belong together are printed or left out together", async () => {
    const pairs = [
      ["before", "after"],
      ["valid_from", "valid_to"],
    ] as const;
    for (const [first, second] of pairs) {
      for (const count of [1, 2, 3, 4, 5, 6, 7]) {
        const shown = await html({
          ...wide(count, "abcdefghijkl"),
          [first]: ["a"],
          [second]: ["abcdefghijkl"],
          ...wide(20, "abcdefghijk"),
        });
        const [, missing = ""] = /Not printed: (.*?)\./.exec(shown) ?? [];
        const names = missing.split(", ");
        expect(names.includes(first)).toBe(names.includes(second));
      }
    }
    const history = await historyOf(
      [feature(1)],
      [change(1), change(2, { created_at: "2024-07-01T00:00:00Z", new_value: "DONE" })],
    );
    const diff = String((await toMimeBundle(history.diff("2024-06-15", "2024-08-01")))["text/html"]);
    expect(diff).not.toContain("Not printed");
  });

  test("are counted if they are not in the output", async () => {
    const shown = await html(wide(100, "abcdefghijkl"));
    const [, printed, named = "", more] =
      /(\d+) of 100 columns printed, the page has the first 60. Not printed: (.*?)(?: and (\d+) more)?\./.exec(shown) ??
      [];
    const kept = Number(/paper-(\d+)"/.exec(shown)?.[1]);
    expect(kept).toBe(Number(printed));
    expect(kept + named.split(", ").length + Number(more)).toBe(100);
  });

  test("without values, with lists or with geometries are left out first", async () => {
    const objects = { nothing: [null, undefined], place: [{ type: "Point", coordinates: [1, 2] }, null] };
    const shown = await html({ first: ["a", "b"], ...objects, ...wide(30, "abcdefghijkl") });
    expect(shown).toMatch(/<table class="paper-(\d+)-2-3">/);
    expect(shown).toMatch(
      /\.paper-(\d+)-2-3 :is\(th,td\):is\(:nth-child\(2\),:nth-child\(3\),:nth-child\(n \+ \d+\)\)/,
    );
    expect(shown).toContain("Not printed: nothing, place, c");
    expect(await html({ first: ["a", "b"], ...objects })).not.toContain("Not printed");
  });

  test("of one long word are printed, at least the first", async () => {
    expect(await html(wide(3, "x".repeat(500)))).toContain('<table class="wrapped-1">');
    expect(await html(wide(12, "x".repeat(500)))).toContain('<table class="paper-5 wrapped-1-2-3-4-5">');
    expect(await html({ a: ["界".repeat(80)], ...wide(12, "界".repeat(9)) })).toMatch(
      /class="paper-[3-5] wrapped-1-2-/,
    );
  });

  test("are printed with fifteen rows if not all rows are in the output", async () => {
    const rows = (count: number) => ({ n: Array.from({ length: count }, (_, row) => row) });
    expect(await html(rows(51))).toContain('<span class="rows">15 of 51 rows. The page has more.</span>');
    expect(await html(rows(51))).toContain('<table class="cut numbers-1">');
    for (const count of [10, 50]) expect(await html(rows(count))).not.toContain("The page has more");
  });
});
