import { from, table } from "arquero";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArgumentError, fromRecords } from "../../../src/index.js";
import { type Figure, type HistogramOptions, histogram, lines } from "../../../src/plot/index.js";
import { toMimeBundle } from "../../../src/tables/display/to-mime-bundle.js";
import { dataset, definition, feature, uuid } from "../../support/records.js";
import { frameFacts } from "../../tables/display/frame-facts.js";
import { labelOf } from "../figure-words.js";

const of = (numbers: readonly unknown[], options?: HistogramOptions) =>
  histogram(table({ LOSS: [...numbers] }), "LOSS", options);

/** A channel of the tips. */
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
  it("has bars between round numbers, and shows the median", async () => {
    const figure = of([1.5, 2, 9.9, 12, null, 28, 31], { bins: 4, unit: "kWh" });
    expect(await bars(figure)).toEqual(["0 to 10 kWh: 3", "10 to 20 kWh: 1", "20 to 30 kWh: 1", "30 to 40 kWh: 1"]);
    expect(labelOf(figure)).toBe(
      "Histogram of LOSS: 6 numbers, median 11 kWh, from 1.5 to 31 kWh; most are 0 to 10 kWh (3).",
    );
    expect(figure.toSVG()).toContain("1 row without a number.");
  });

  it("shows the unit of the definition, unless `unit` is given", async () => {
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
      expect(labelOf(figure)).toContain("median 15 m, from 12 to 40 m");
      expect(figure.toSVG()).toMatch(/>m ?.?</);
      expect(labelOf(histogram(data, "Length", { unit: "metres" }))).toContain("median 15 metres");
      expect(labelOf(lines(data, { x: "id", y: "Length" }))).toContain("in m");
    }
  });

  it("has a bar for each whole number if they are few", async () => {
    expect(await bars(of([3, 1, 1, 5n, 3, 3]))).toEqual(["1: 2", "3: 3", "5: 1"]);
    expect(labelOf(of([7, 7]))).toContain("most are 7 (2).");
  });

  it("has the groups of a process in its order and colours", () => {
    const rows = from(["CLOSED", "BLOCKED", "OPEN", "IN_PROGRESS"].map((value, days) => ({ value, days })));
    const { domain, range } = { ...histogram(rows, "days", { by: "value" }).scale("color") };
    expect(domain).toEqual(["OPEN", "IN_PROGRESS", "BLOCKED", "CLOSED"]);
    expect([...(range ?? [])][2]).toBe("#d65c19");
  });

  it("divides bars by a column, in the order of `order`", async () => {
    const rows = table({ days: [1, 1, 1, 2], status: ["OPEN", "DONE", null, "DONE"] });
    const figure = histogram(rows, "days", { by: "status", order: ["OPEN", "DONE"] });
    expect(await bars(figure)).toEqual(["1, OPEN: 1", "1, DONE: 1", "1, none: 1", "2, DONE: 1"]);
    expect(figure.toSVG()).toContain("Days by status");
  });

  it("puts a few outliers into an open bar, and shows their count", async () => {
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
    expect(figure.toSVG()).toContain("; 1 far away (below 0); 2 far away (20 and more)");
    // Many equal distances are not outliers.
    expect(of([...near, ...near.map((one) => one + 1000)]).toSVG()).not.toContain("far off");
  });

  it("accepts edges, the last of which belongs to the last bar, and counts numbers outside", async () => {
    const figure = of([-1, 0, 10, 20, 50, 51], { bins: [0, 10, 50] });
    expect(await bars(figure)).toEqual(["0 to 10: 1", "10 to 50: 3"]);
    expect(figure.toSVG()).toContain("2 numbers outside of the bins.");
    expect(labelOf(of([5], { bins: [0, 1] }))).toBe("Histogram of LOSS: 1 number, 5.");
  });

  it("notes missing numbers", () => {
    const figure = of([null, undefined, "", Number.NaN]);
    expect(labelOf(figure)).toBe("Histogram of LOSS: 0 numbers.");
    expect(figure.toSVG()).toContain("No numbers");
    expect(figure.toSVG()).toContain("4 rows without a number.");
  });

  it("rejects texts, invalid bins, unknown columns and unknown options", () => {
    expect(() => of([1, "two"])).toThrow("histogram(): LOSS of row 1 is a string of 3 characters, not a number.");
    for (const bins of [0, 1.5, 201, "many", [1], [1, 1], [2, 1], [0, Number.NaN]]) {
      expect(() => of([1], { bins: bins as never })).toThrow(/bins must be 1 to 200, or ascending edges/);
    }
    expect(() => histogram(table({ a: [1] }), "b")).toThrow(ArgumentError);
    expect(() => of([1], { bin: 3 } as never)).toThrow('histogram() has no option "bin".');
  });

  it("accepts numbers up to the limits of an axis", async () => {
    expect(await bars(of([3e-323]))).toEqual(["0 to 1e−300: 1"]);
    expect(await bars(of([-1e300, 1e300], { bins: 1 }))).toEqual(["−2e+300 to 0: 1", "0 to 2e+300: 1"]);
    expect(await bars(of([-5e-324, 6, 0]))).toEqual(["−2 to 0: 1", "0 to 2: 1", "6 to 8: 1"]);
    expect(await bars(of([1e13, 1e13 + 1, 1e13 + 2]))).toHaveLength(3);
    expect(await bars(of([1e16, 1e16 + 2]))).toHaveLength(1);
    expect(labelOf(of([2e-9]))).toContain("1 number, 2e−9");
    for (const number of [1.7e308, Number.NEGATIVE_INFINITY, 10n ** 400n]) {
      expect(() => of([number])).toThrow(/of row 0 is -?(1\.7e\+308|Infinity); the maximum is 1e\+300/);
    }
  });

  it("counts every number in one bar", async () => {
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
