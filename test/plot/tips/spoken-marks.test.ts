import type { Markish, PlotOptions } from "@observablehq/plot";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { createDocument } from "../../../src/plot/figure/draw-figure.js";
import { Plot } from "../../../src/plot/index.js";
import { extractTooltips, silent } from "../../../src/plot/tips/extract-tooltips.js";
import { randomRuns } from "../../support/random-runs.js";
import { spokenOf } from "./spoken.js";

const document = createDocument();

function spoken(marks: Markish[], options: PlotOptions = {}): readonly string[] {
  const [, take] = extractTooltips(marks, () => Plot.plot({ ...options, document, marks }));
  return spokenOf(take());
}

const day = (text: string) => new Date(`${text}Z`);
const metres = [1, 2, 7, 8, 9, 12].map((length, row) => ({ metres: length, kind: row % 2 === 0 ? "a" : "b" }));
const days = ["2024-01-15", "2024-01-20", "2024-03-01"].map((text, n) => ({ date: day(text), n: n + 1 }));
const spans = [
  { id: "A", low: 3, high: 5.5, from: day("2024-01-01"), to: day("2024-02-01T12:00") },
  { id: "B", low: -1, high: 0, from: day("2024-03-01"), to: day("2024-03-02") },
];

describe("an interval is spoken with both ends", () => {
  test.each<[string, Markish[], readonly string[], PlotOptions?]>([
    [
      "bins",
      [Plot.rectY(metres, Plot.binX({ y: "count" }, { x: "metres" } as object))],
      ["metres 0 to 5, Frequency 2", "metres 5 to 10, Frequency 3", "metres 10 to 15, Frequency 1"],
    ],
    [
      "a single bin that begins at zero",
      [Plot.rectY([1, 2], Plot.binX({ y: "count" }, { x: (n: number) => n, thresholds: [0, 5] } as object))],
      ["x 0 to 5, Frequency 2"],
    ],
    [
      "bins of two axes",
      [
        Plot.rect(
          metres,
          Plot.bin({ fill: "count" }, {
            x: { value: "metres", thresholds: [0, 10, 20] },
            y: { value: (): number => 1, thresholds: [0, 2, 4] },
          } as object),
        ),
      ],
      ["metres 0 to 10, y 0 to 2, Frequency 5", "metres 10 to 20, y 0 to 2, Frequency 1"],
    ],
    [
      "from and to",
      [Plot.barX(spans, { x1: "from", x2: "to", y: "id" })],
      ["from – to 2024-01-01 00:00 to 2024-02-01 12:00, id A", "from – to 2024-03-01 00:00 to 2024-03-02 00:00, id B"],
    ],
    [
      "rules",
      [Plot.ruleX(spans, { x: "id", y1: "low", y2: "high" })],
      ["id A, low – high 3 to 5.5", "id B, low – high −1 to 0"],
    ],
    [
      "the lesser end first",
      [Plot.ruleX(spans, { x: "id", y1: "high", y2: "low" })],
      ["id A, high – low 3 to 5.5", "id B, high – low −1 to 0"],
    ],
    [
      "bands",
      [Plot.areaY(spans, { x: "from", y1: "low", y2: "high" })],
      ["from 2024-01-01, low – high 3 to 5.5", "from 2024-03-01, low – high −1 to 0"],
    ],
    [
      "links, which have a direction",
      [Plot.link([{ a: 5, b: 2, c: 1 }], { x1: "a", x2: "b", y1: "c", y2: "c" })],
      ["a – b 5 to 2, c 1"],
    ],
    ["arrows", [Plot.arrow([{ a: 5, b: 2, c: 1 }], { x1: "a", x2: "b", y1: "c", y2: "c" })], ["a – b 5 to 2, c 1"]],
    [
      "with enough digits to distinguish its ends",
      [Plot.barX([{ a: 100_000.1, b: 100_000.2 }], { x1: "a", x2: "b" })],
      ["a – b 100,000.1 to 100,000.2"],
    ],
    [
      "times of one day",
      [Plot.barX([{ a: day("2024-01-01T09:00"), b: day("2024-01-01T10:30") }], { x1: "a", x2: "b" })],
      ["a – b 2024-01-01 09:00 to 10:30"],
    ],
    [
      "times of one minute",
      [Plot.barX([{ a: day("2024-01-01T09:00:01"), b: day("2024-01-01T09:00:02.5") }], { x1: "a", x2: "b" })],
      ["a – b 2024-01-01 09:00:01 to 09:00:02.500"],
    ],
    [
      "with the user's format",
      [Plot.barX(spans, { x1: "low", x2: "high", y: "id", tip: { format: { x: (n: number) => `${n} m`, y: false } } })],
      ["low – high 3 m to 5.5 m", "low – high -1 m to 0 m"],
    ],
  ])("%s", (_, marks, expected, options) => {
    expect(spoken(marks, options)).toEqual(expected);
  });

  test.each([
    ["year", ["2024, n 1", "2024, n 2", "2024, n 3"]],
    ["month", ["January 2024, n 1", "January 2024, n 2", "March 2024, n 3"]],
    [
      "quarter",
      ["January 2024 to March 2024, n 1", "January 2024 to March 2024, n 2", "January 2024 to March 2024, n 3"],
    ],
    ["week", ["2024-01-14 to 2024-01-20, n 1", "2024-01-14 to 2024-01-20, n 2", "2024-02-25 to 2024-03-02, n 3"]],
    ["day", ["2024-01-15, n 1", "2024-01-20, n 2", "2024-03-01, n 3"]],
    ["hour", ["2024-01-15 00:00 to 01:00, n 1", "2024-01-20 00:00 to 01:00, n 2", "2024-03-01 00:00 to 01:00, n 3"]],
  ])("a %s is spoken by its name", (interval, expected) => {
    expect(spoken([Plot.rectY(days, { x: "date", y1: () => 0, y2: "n", interval: interval as "day" })])).toEqual(
      expected,
    );
  });

  test("the dates of an axis of months are months", () => {
    const bars = [Plot.barY(days, Plot.groupX({ y: "count" }, { x: "date" } as object))];
    expect(spoken(bars, { x: { interval: "month" } })).toEqual([
      "January 2024, Frequency 2",
      "March 2024, Frequency 1",
    ]);
  });

  it("contains all binned values", () => {
    const numbers = fc.array(
      fc.double({ min: -1e4, max: 1e4, noNaN: true }).map((n) => Math.round(n * 8) / 8),
      { minLength: 2, maxLength: 60 },
    );
    fc.assert(
      fc.property(numbers, (values) => {
        const said = spoken([Plot.rectY(values, Plot.binX({ y: "count" }, { x: Plot.identity } as object))]);
        const bins = said.map((words) => {
          const [, from = "", to = from, count = ""] = /^x (\S+?)(?: to (\S+))?, Frequency (\S+)$/.exec(words) ?? [];
          return [from, to, count].map((text) => Number(text.replaceAll(",", "").replace("−", "-"))) as [
            number,
            number,
            number,
          ];
        });
        for (const [from, to, count] of bins) {
          const isIn = (value: number) =>
            value >= from && (value < to || (to === Math.max(...bins.map(([, end]) => end)) && value === to));
          expect(values.filter(isIn)).toHaveLength(count);
        }
        expect(bins.reduce((sum, [, , count]) => sum + count, 0)).toBe(values.length);
      }),
      { numRuns: randomRuns(40) },
    );
  });
});

describe("a stack has its own size", () => {
  const parts = [
    { x: "p", kind: "a", n: 1 },
    { x: "p", kind: "b", n: 3 },
    { x: "q", kind: "a", n: 2 },
    { x: "q", kind: "b", n: 6 },
  ];
  const own = ["p, n 1, kind a", "p, n 3, kind b", "q, n 2, kind a", "q, n 6, kind b"].map((words) => `x ${words}`);
  const bars = (offset?: "center" | "normalize" | "wiggle") =>
    Plot.barY(parts, Plot.stackY(offset ? { offset } : {}, { x: "x", y: "n", fill: "kind" }));

  test("at any height", () => {
    expect(spoken([bars()])).toEqual(own);
    expect(spoken([bars("center")])).toEqual(own);
    expect(
      spoken([Plot.barY(parts, { x: "x", y: "n", fill: "kind", order: "value", reverse: true } as object)]).toSorted(),
    ).toEqual(own);
    expect(
      spoken([
        Plot.barY(
          [
            { x: "p", n: -2, kind: "a" },
            { x: "p", n: -3, kind: "b" },
          ],
          { x: "x", y: "n", fill: "kind" },
        ),
      ]),
    ).toEqual(["x p, n −2, kind a", "x p, n −3, kind b"]);
  });

  test("as a share if shares are drawn", () => {
    expect(spoken([bars("normalize")])).toEqual([
      "x p, n 25%, kind a",
      "x p, n 75%, kind b",
      "x q, n 25%, kind a",
      "x q, n 75%, kind b",
    ]);
    expect(spoken([bars("normalize")], { y: { percent: true } })[0]).toBe("x p, n (%) 25, kind a");
  });

  test("without rounding errors, and from zero", () => {
    const tenths = [0.1, 0.2, 0.7, 0.3].map((n, row) => ({ x: "p", n, kind: String(row) }));
    expect(spoken([Plot.barY(tenths, { x: "x", y: "n", fill: "kind" })])).toEqual(
      tenths.map(({ n, kind }) => `x p, n ${n}, kind ${kind}`),
    );
    expect(spoken([Plot.rectY(spans, { x1: "low", x2: "high", y1: 0, y2: "high" })])).toEqual([
      "low – high 3 to 5.5, high 5.5",
      "low – high −1 to 0, high 0",
    ]);
    expect(spoken([Plot.areaY(metres, { x: "metres", y1: 0, y2: (_, row: number) => row + 1 })])[0]).toBe(
      "metres 1, y 0 to 1",
    );
  });
});

describe("a curve has", () => {
  const steps = [
    { group: "a", x: 0, y: 1 },
    { group: "a", x: 4, y: 2 },
    { group: "a", x: 9, y: 7 },
    { group: "b", x: 0, y: 11 },
    { group: "b", x: 5, y: 12 },
    { group: "b", x: 8, y: 13 },
  ];
  const line = (curve: "step-after" | "step-before" | "step" | "linear") =>
    Plot.lineY(steps, { x: "x", y: "y", stroke: "group", curve });

  test.each([
    ["step-after", ["x 0, y, a 1, b 11", "x 4, y, a 2, b 11", "x 5, y, a 2, b 12", "x 8, y, a 2, b 13", "x 9, y, a 7"]],
    [
      "step-before",
      ["x 0, y, a 1, b 11", "x 4, y, a 2, b 12", "x 5, y, a 7, b 12", "x 8, y, a 7, b 13", "x 9, y, a 7"],
    ],
    ["step", ["x 0, y, a 1, b 11", "x 4, y, a 2, b 12", "x 5, y, a 2, b 12", "x 8, y, a 7, b 13", "x 9, y, a 7"]],
    ["linear", ["x 0, y, a 1, b 11", "x 4, y, a 2", "x 5, y, b 12", "x 8, y, b 13", "x 9, y, a 7"]],
  ] as const)("all series of %s", (curve, expected) => {
    expect(spoken([line(curve)])).toEqual(expected);
    expect(spoken([line(curve)], { x: { reverse: true } }).toReversed()).toEqual(expected);
  });

  it("the last value of each series at any place of steps", () => {
    const series = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(series, series, (one, other) => {
        const rows = [one, other].flatMap((xs, group) =>
          xs.toSorted((a, b) => a - b).map((x, place) => ({ group: "ab"[group], x, y: 100 * group + place })),
        );
        const said = spoken([Plot.lineY(rows, { x: "x", y: "y", stroke: "group", curve: "step-after" })]);
        const places = [...new Set(rows.map(({ x }) => x))].sort((a, b) => a - b);
        const expected = places.map((x) => {
          const values = ["a", "b"].flatMap((group) => {
            const own = rows.filter((row) => row.group === group);
            const last = own.filter((row) => row.x <= x).at(-1);
            return last && x <= Number(own.at(-1)?.x) ? [`${group} ${last.y}`] : [];
          });
          return [`x ${x}`, "y", ...values].join(", ");
        });
        expect(said).toEqual(expected);
      }),
      { numRuns: randomRuns(60) },
    );
  });

  test("no value in a gap and across it", () => {
    const gap = [0, 4, 9].map((x) => ({ x, y: x === 4 ? Number.NaN : x }));
    const other = [{ x: 6, y: 100 }];
    expect(
      spoken([Plot.lineY(gap, { x: "x", y: "y", curve: "step-after" }), Plot.lineY(other, { x: "x", y: "y" })]),
    ).toEqual(["x 0, y 0", "x 6, y 100", "x 9, y 9"]);
  });

  test("all given channels at its points", () => {
    const channels = { share: ({ y }: { y: number }) => `${y}%`, count: "y" };
    const said = spoken([Plot.lineY(steps, { x: "x", y: "y", stroke: "group", curve: "step-after", channels })]);
    expect(said[1]).toBe("x 4, share, a 2%, count 2, b 11%");
    expect(spoken([Plot.lineY(steps, { x: "x", y: "y", z: "group", title: "group" })])[0]).toBe("a, b");
  });

  test("its small multiple", () => {
    expect(spoken([Plot.lineY(steps, { x: "x", y: "y", fy: "group" })])[0]).toBe("x 0, a y 1, b y 11");
    expect(spoken([Plot.lineY(steps, { x: "x", y: "y", fx: "group" })])[0]).toBe("a, x 0, y 1");
  });

  test("the points on it, but no other points", () => {
    const dots = Plot.dot(
      [
        { x: 4, y: 2 },
        { x: 4, y: 5 },
      ],
      { x: "x", y: "y" },
    );
    expect(spoken([line("linear"), dots]).slice(5)).toEqual(["x 4, y 5"]);
  });
});

describe("labels", () => {
  const rows = [{ low: 1, high: 2, kind: "a", at: day("2024-05-05") }];

  test("are not the names of channels, and may be missing", () => {
    expect(spoken([Plot.dot(rows, { x: "low", y: "high", r: (row) => row.high, fill: (row) => row.kind })])).toEqual([
      "low 1, high 2, a, size 2",
    ]);
    expect(spoken([Plot.dot(rows, { x: "low", symbol: (row: { kind: string }) => row.kind })])).toEqual(["a, low 1"]);
    expect(spoken([Plot.dot(rows, { x: "low", fy: "kind" })], { fy: { label: null } })).toEqual(["a, low 1"]);
    expect(spoken([Plot.dot(rows, { x: "low", fx: "at" })])).toEqual(["low 1, at 2024-05-05"]);
    expect(spoken([Plot.cell(rows, { x: (row) => row.kind, y: (row) => row.kind, fill: "low" })])).toEqual([
      "a, a, low 1",
    ]);
  });

  test("are the labels of the axes, with their units", () => {
    expect(
      spoken([Plot.dot(rows, { x: "low", y: "high" })], { x: { label: "depth in m →" }, y: { label: null } }),
    ).toEqual(["depth in m 1, high 2"]);
  });

  test("are dates for colours of dates", () => {
    expect(spoken([Plot.lineY(rows, { x: "low", y: "high", stroke: "at" })], { color: { type: "ordinal" } })).toEqual([
      "low 1, high, 2024-05-05 2",
    ]);
  });
});

describe("computed places are spoken as the original values", () => {
  const rows = [{ a: 1, b: 2 }];

  test("or omitted", () => {
    expect(spoken([Plot.dot(rows, Plot.dodgeY({ x: "a" }))])).toEqual(["a 1"]);
    expect(spoken([Plot.dot(rows, Plot.hexbin({ r: "count" }, { x: "a", y: "b", binWidth: 1 } as object))])[0]).toMatch(
      /^a [\d.]+, b [\d.]+, Frequency 1$/,
    );
    expect(spoken([Plot.linearRegressionY([...rows, { a: 2, b: 3 }], { x: "a", y: "b" })])).toEqual([]);
  });

  test("with numbers of any size", () => {
    const said = spoken([Plot.dot([1e-9, 2.5e-7, 1e21, -0, Number.MAX_SAFE_INTEGER], { x: Plot.identity })]);
    expect(said).toEqual(["x 1e−9", "x 2.5e−7", "x 1e+21", "x 0", "x 9,007,199,254,740,991"]);
  });
});

test("a rule has its values, but a zero line is silent", () => {
  expect(spoken([Plot.ruleY([0]), Plot.ruleX([day("2024-01-01")], { strokeDasharray: "2" })])).toEqual([]);
  expect(spoken([Plot.ruleX(metres.slice(0, 2), { x: "metres" })])).toEqual(["metres 1", "metres 2"]);
  expect(spoken([Plot.ruleX([3], { title: () => "limit" })])).toEqual(["limit"]);
});

test("a silent mark is omitted", () => {
  expect(spoken([silent(Plot.dot([1], { x: Plot.identity })), Plot.dot([2], { x: Plot.identity })])).toEqual(["x 2"]);
});
