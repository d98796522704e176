import type { Markish, PlotOptions } from "@observablehq/plot";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDocument } from "../../../src/plot/figure/draw-figure.js";
import { Plot, plot } from "../../../src/plot/index.js";
import { extractTooltips } from "../../../src/plot/tips/extract-tooltips.js";
import type { TooltipMark } from "../../../src/tables/display/live/chart-payload.js";
import { randomRuns } from "../../support/random-runs.js";

const document = createDocument();

/** The tips of marks, and their chart. */
function tipsOf(marks: Markish[], options: PlotOptions = {}) {
  const [chart, take] = extractTooltips(marks, () => Plot.plot({ ...options, document, marks }));
  const tips = take();
  return { chart, tips, only: tips[0] as TooltipMark };
}

/** The strings in a channel, by its name. */
function textsOf({ channels }: TooltipMark, name: string): readonly unknown[] | undefined {
  const channel = channels.find((one) => one.name === name);
  return channel?.codes.map((code) => channel.texts[code]);
}

/** The same as numbers. */
function valuesOf(mark: TooltipMark, name: string): readonly number[] | undefined {
  return textsOf(mark, name)?.map((text) => Number(String(text).replaceAll(",", "").replace("−", "-")));
}

const close = (found: readonly number[] | undefined, expected: readonly number[]) => {
  expect(found?.length).toBe(expected.length);
  for (const [index, value] of expected.entries()) expect(found?.[index]).toBeCloseTo(value, 0);
};

describe("tips of marks", () => {
  it("have the data at the places of Plot's scales", () => {
    const row = fc.record({
      a: fc.integer({ min: -1000, max: 1000 }),
      // Numbers as close as doubles can be have no ticks in Plot.
      b: fc.integer({ min: -1e7, max: 1e7 }).map((n) => n / 8),
      kind: fc.constantFrom("x", "<b>", "</script>"),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 30 }), (rows) => {
        const { chart, only } = tipsOf([Plot.dot(rows, { x: "a", y: "b", fill: "kind" })]);
        expect(only.kind).toBe("dot");
        // Plot draws large dots first, and all are of one size.
        expect(valuesOf(only, "x")).toEqual(rows.map(({ a }) => a));
        // Four significant digits, and all digits of integers.
        for (const [row, { b }] of rows.entries()) {
          const rounding = Math.abs(b) < 1000 ? 0.5 * 10 ** (Math.floor(Math.log10(Math.abs(b) || 1)) - 3) : 0.5;
          expect(Math.abs((valuesOf(only, "y")?.[row] ?? Number.NaN) - b)).toBeLessThanOrEqual(rounding);
        }
        const [x, y] = [chart.scale("x"), chart.scale("y")];
        close(
          only.x,
          rows.map(({ a }) => x?.apply(a)),
        );
        close(
          only.y,
          rows.map(({ b }) => y?.apply(b)),
        );
        expect(only.series?.codes.map((code) => only.series?.labels[code])).toEqual(rows.map(({ kind }) => kind));
      }),
      { numRuns: randomRuns(60) },
    );
  });

  it("have each length and the upper edge of a stack", () => {
    const rows = [
      { day: 1, n: 2, kind: "a" },
      { day: 1, n: 3, kind: "b" },
      { day: 2, n: 4, kind: "a" },
      { day: 2, n: 5, kind: "b" },
    ];
    const { chart, only } = tipsOf([Plot.areaY(rows, { x: "day", y: "n", fill: "kind" })]);
    expect(only.kind).toBe("path");
    expect(valuesOf(only, "y")).toEqual(rows.map(({ n }) => n));
    const y = chart.scale("y");
    close(
      only.y,
      [2, 5, 4, 9].map((value) => y?.apply(value)),
    );
    // One path for each kind, which begins with its first row.
    expect(only.rows).toEqual([0, 1]);
  });

  it("have the box of a bar, which spans the frame with one axis", () => {
    const { only } = tipsOf([Plot.barY(["a", "b"], { x: (value) => value, y: [1, 2] })], {
      width: 300,
      marginLeft: 40,
      marginRight: 20,
    });
    expect(only.kind).toBe("box");
    expect(textsOf(only, "x")).toEqual(["a", "b"]);
    expect(valuesOf(only, "y")).toEqual([1, 2]);
    expect((only.x2?.[0] ?? 0) - (only.x?.[0] ?? 0)).toBeGreaterThan(80);
    const cells = tipsOf([Plot.barX([{ from: 1, to: 2 }], { x1: "from", x2: "to" })], {
      height: 60,
      marginTop: 7,
      marginBottom: 9,
    });
    expect([cells.only.y, cells.only.y2]).toEqual([[7], [51]]);
  });

  it("have only the title of a mark, or formatted channels", () => {
    const rows = [{ a: 1, b: new Date("2025-01-01T12:30:00Z"), name: "<i>one" }];
    expect(tipsOf([Plot.dot(rows, { x: "a", y: "b", title: "name" })]).only.channels).toEqual([
      { name: "title", label: "", codes: [0], texts: ["<i>one"] },
    ]);
    const tip = { format: { y: false, x: (value: number) => `${value} m` } } as const;
    const formatted = tipsOf([Plot.dot(rows, { x: "a", y: "b", tip, channels: { name: "name" } })]).only;
    expect(formatted.channels.map(({ name }) => name)).toEqual(["x", "name"]);
    expect(textsOf(formatted, "x")).toEqual(["1 m"]);
    expect(textsOf(tipsOf([Plot.dot(rows, { x: "a", y: "b" })]).only, "y")).toEqual(["2025-01-01 12:30"]);
  });

  it("are limited to the marks with the option tip, if any", () => {
    const dots = () => Plot.dot([1, 2], { x: (value) => value });
    expect(tipsOf([dots(), dots()]).tips).toHaveLength(2);
    expect(tipsOf([dots(), Plot.dot([5], { x: [5], tip: true })]).tips.map((mark) => valuesOf(mark, "x"))).toEqual([
      [5],
    ]);
  });

  it("have the place and name of their facet", () => {
    const rows = ["a", "b"].map((group) => ({ group, n: 1 }));
    const { tips, chart } = tipsOf([Plot.dot(rows, { x: "n", fx: "group" })]);
    expect(tips.map((mark) => textsOf(mark, "fx"))).toEqual([["a"], ["b"]]);
    const step = Number(chart.scale("fx")?.apply("b")) - Number(chart.scale("fx")?.apply("a"));
    expect((tips[1]?.x?.[0] ?? 0) - (tips[0]?.x?.[0] ?? 0)).toBeCloseTo(step, 0);
  });

  it("are missing for axes, rules, texts, empty marks and styles", () => {
    expect(tipsOf([Plot.ruleY([0]), Plot.text(["a"]), Plot.frame(), Plot.dot([])]).tips).toEqual([]);
    const { only } = tipsOf([Plot.dot([[1, 2]], { fill: "red", fillOpacity: () => 0.5 })]);
    expect(only.channels.map(({ name }) => name)).toEqual(["x", "y"]);
    expect(only.series).toBeUndefined();
  });

  it("do not change marks, also if drawing fails", () => {
    const mark = Plot.dot([1], { x: [1] });
    const own = Object.getOwnPropertyNames(mark);
    const { render } = mark;
    expect(() =>
      extractTooltips([[mark]], () => {
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(Object.getOwnPropertyNames(mark)).toEqual(own);
    expect(mark.render).toBe(render);
    expect(plot({ marks: [mark] }).outerHTML).toContain("<circle");
  });
});
