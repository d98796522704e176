import { from, table } from "arquero";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArgumentError, fromRecords } from "../../../src/index.js";
import { type Figure, type HistogramOptions, histogram, lines } from "../../../src/plot/index.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { dataset, definition, feature, uuid } from "../../support/records.js";
import { frameFacts } from "../../tables/display/frame-facts.js";

function spoken(figure: Figure): string {
  return /<svg[^>]* role="img"[^>]* aria-label="([^"]*)"/.exec(figure.toSVG())?.[1] ?? "";
}

const of = (numbers: readonly unknown[], options?: HistogramOptions) =>
  histogram(table({ LOSS: [...numbers] }), "LOSS", options);

/** What a channel of the tips says. */
interface Channel {
  readonly name: string;
  readonly codes: readonly number[];
  readonly texts: readonly string[];
}

/** `range: count` of every bar, of groups `range, group: count`, as the tips have them. */
async function bars(figure: Figure): Promise<readonly string[]> {
  const { "text/html": html } = await toMimeBundle(figure);
  const [marks] = frameFacts(String(html)) as readonly [readonly { readonly channels: readonly Channel[] }[]];
  const channels = marks[0]?.channels ?? [];
  const columns = channels.map(({ codes, texts }) => codes.map((code) => texts[code] ?? ""));
  return (columns.at(-1) ?? []).map((count, row) => {
    const names = columns.slice(0, -1).map((column) => column[row]);
    return `${names.join(", ")}: ${count}`;
  });
}

describe("histogram", () => {
  it("has bars from round number to round number, and tells the median", async () => {
    const figure = of([1.5, 2, 9.9, 12, null, 28, 31], { bins: 4, unit: "kWh" });
    expect(await bars(figure)).toEqual(["0 to 10 kWh: 3", "10 to 20 kWh: 1", "20 to 30 kWh: 1", "30 to 40 kWh: 1"]);
    expect(spoken(figure)).toBe(
      "Histogram of LOSS: 6 numbers, median 10.95 kWh, from 1.5 to 31 kWh; most are 0 to 10 kWh (3).",
    );
    expect(figure.toSVG()).toContain("1 row without a number.");
  });

  it("says the unit of the definition, unless another is asked for", async () => {
    const length = uuid(1);
    const source = fromRecords({
      datasets: [dataset(1)],
      propertyDefinitions: [definition(length, "Length", { type: "FLOAT", config: { unit: "m" } as never })],
      layerFeatures: [12, 15, 40].map((value, at) => feature(at + 1, { properties: { [length]: value } })),
      propertyChanges: [],
    });
    const layer = await source.layer({ site_id: 12, semantic_type: "TRENCHES" });
    for (const data of [layer, layer.table]) {
      const figure = histogram(data, "Length");
      expect(spoken(figure)).toContain("median 15 m, from 12 to 40 m");
      expect(figure.toSVG()).toMatch(/>m ?.?</);
      expect(spoken(histogram(data, "Length", { unit: "metres" }))).toContain("median 15 metres");
      expect(spoken(lines(data, { x: "id", y: "Length" }))).toContain("in m");
    }
  });

  it("has a bar for each whole number where they are few", async () => {
    expect(await bars(of([3, 1, 1, 5n, 3, 3]))).toEqual(["1: 2", "3: 3", "5: 1"]);
    expect(spoken(of([7, 7]))).toContain("most are 7 (2).");
  });

  it("has the groups of a process in its course, in its colours", () => {
    const rows = from(["CLOSED", "BLOCKED", "OPEN", "IN_PROGRESS"].map((value, days) => ({ value, days })));
    const { domain, range } = { ...histogram(rows, "days", { by: "value" }).scale("color") };
    expect(domain).toEqual(["OPEN", "IN_PROGRESS", "BLOCKED", "CLOSED"]);
    expect([...(range ?? [])][2]).toBe("#e86c0a");
  });

  it("divides bars by a column, in the order that is given", async () => {
    const rows = table({ days: [1, 1, 1, 2], status: ["OPEN", "DONE", null, "DONE"] });
    const figure = histogram(rows, "days", { by: "status", order: ["OPEN", "DONE"] });
    expect(await bars(figure)).toEqual(["1, OPEN: 1", "1, DONE: 1", "1, none: 1", "2, DONE: 1"]);
    expect(figure.toSVG()).toContain("days by status");
  });

  it("puts a few numbers that are far off into an open bar, and says how many", async () => {
    const near = Array.from({ length: 200 }, (_, n) => n / 10);
    const figure = of([...near, 90_000, -7_000, 80_000], { bins: 4 });
    expect(await bars(figure)).toEqual([
      "below 0: 1",
      "0 to 5: 50",
      "5 to 10: 50",
      "10 to 15: 50",
      "15 to 20: 50",
      "20 and more: 2",
    ]);
    expect(figure.toSVG()).toContain("; 1 far off (below 0); 2 far off (20 and more)");
    // What many are is not far off.
    expect(of([...near, ...near.map((one) => one + 1000)]).toSVG()).not.toContain("far off");
  });

  it("takes edges, of which the last belongs to the last bar, and counts what is outside", async () => {
    const figure = of([-1, 0, 10, 20, 50, 51], { bins: [0, 10, 50] });
    expect(await bars(figure)).toEqual(["0 to 10: 1", "10 to 50: 3"]);
    expect(figure.toSVG()).toContain("2 numbers outside of the bins.");
    expect(spoken(of([5], { bins: [0, 1] }))).toBe("Histogram of LOSS: 1 number, median 5, from 5 to 5.");
  });

  it("says that there are no numbers", () => {
    const figure = of([null, undefined, "", Number.NaN]);
    expect(spoken(figure)).toBe("Histogram of LOSS: 0 numbers.");
    expect(figure.toSVG()).toContain("No numbers");
    expect(figure.toSVG()).toContain("4 rows without a number.");
  });

  it("refuses what it cannot draw", () => {
    expect(() => of([1, "two"])).toThrow("histogram(): LOSS of row 1 is a string of 3 characters, not a number.");
    for (const bins of [0, 1.5, 201, "many", [1], [1, 1], [2, 1], [0, Number.NaN]]) {
      expect(() => of([1], { bins: bins as never })).toThrow(/takes 1 to 200 bins, or their edges ascending/);
    }
    expect(() => histogram(table({ a: [1] }), "b")).toThrow(ArgumentError);
    expect(() => of([1], { bin: 3 } as never)).toThrow('histogram() has no option "bin".');
  });

  it("takes numbers as small and as large as an axis bears", async () => {
    expect(await bars(of([3e-323]))).toEqual(["0 to 1e-300: 1"]);
    expect(await bars(of([-1e300, 1e300], { bins: 1 }))).toEqual(["-2e+300 to 0: 1", "0 to 2e+300: 1"]);
    expect(await bars(of([-5e-324, 6, 0]))).toEqual(["-2 to 0: 1", "0 to 2: 1", "6 to 8: 1"]);
    expect(await bars(of([1e13, 1e13 + 1, 1e13 + 2]))).toHaveLength(3);
    expect(await bars(of([1e16, 1e16 + 2]))).toHaveLength(1);
    expect(spoken(of([2e-9]))).toContain("median 2e-9, from 2e-9 to 2e-9");
    for (const number of [1.7e308, Number.NEGATIVE_INFINITY, 10n ** 400n]) {
      expect(() => of([number])).toThrow(/of row 0 is -?(1\.7e\+308|Infinity), and an axis ends at 1e\+300/);
    }
  });

  it("has every number in one bar, and the count of each bar right, whatever the numbers", async () => {
    const number = fc.oneof(fc.integer({ min: -50, max: 50 }), fc.double({ noNaN: true, min: -1e6, max: 1e6 }));
    await fc.assert(
      fc.asyncProperty(fc.array(number, { minLength: 1, maxLength: 60 }), async (numbers) => {
        const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
        const edges = [least - 1, (least + most) / 2, most + 1];
        const counts = (await bars(of(numbers, { bins: edges }))).map((bar) => Number(bar.split(": ").at(-1)));
        const below = numbers.filter((one) => one < (edges[1] as number)).length;
        expect(counts).toEqual([below, numbers.length - below].filter((count) => count > 0));
        const usual = (await bars(of(numbers))).map((bar) => Number(bar.split(": ").at(-1)));
        expect(usual.reduce((sum, count) => sum + count, 0)).toBe(numbers.length);
        expect(usual.length).toBeLessThanOrEqual(120);
      }),
      { numRuns: 8 },
    );
  });
});
