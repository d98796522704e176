import { from, table } from "arquero";
import { describe, expect, it } from "vitest";
import { cumulativeFlow, type Figure, lines, sCurve } from "../../../src/plot/index.js";
import { wordsOf } from "../figure-words.js";
import { weeklyHistory } from "../weekly-history.js";

const dates = ["2026-01-01", "2026-02-01", "2026-03-01"];

/** The labels at the ends of lines, from top to bottom. */
function endLabels(figure: Figure) {
  const entries = figure.toSVG().split('<g data-entry="">').slice(1);
  return entries.flatMap((entry) => {
    const [text = ""] = /<text.*?<\/tspan>/.exec(entry) ?? [];
    const [, x, y] = /translate\(([\d.]+),([\d.]+)\)"><tspan/.exec(text) ?? [];
    const name = /([^<>]*)<\/tspan>/.exec(text)?.[1];
    return x === undefined ? [] : [{ x: Number(x), y: Number(y), fill: /fill="([^"]*)"/.exec(text)?.[1], name }];
  });
}

function linesOf(values: readonly number[], options: object = {}): Figure {
  const rows = values.flatMap((y, index) => dates.map((date) => ({ date, y, kind: `kind ${index + 1}` })));
  return lines(from(rows), { y: "y", series: "kind", ...options });
}

describe("labels at the ends of lines", () => {
  it("replace the legend, in the colors of the lines", () => {
    const figure = linesOf([1, 5]);
    const { domain, range } = figure.scale("color") ?? {};
    const labels = endLabels(figure);
    expect(labels.map(({ name }) => name)).toEqual(["kind 2", "kind 1"]);
    expect(labels.map(({ fill }) => fill)).toEqual([...(range ?? [])].toReversed());
    expect(domain).toEqual(["kind 1", "kind 2"]);
    expect(figure.toSVG().match(/data-entry/g)).toHaveLength(2);
  });

  it("are at the heights of their lines", () => {
    const figure = linesOf([1, 5]);
    const heights = [5, 1].map((value) => Math.round(10 * figure.scale("y")?.apply(value)) / 10);
    expect(endLabels(figure).map(({ y }) => y)).toEqual(heights);
  });

  it("do not overlap, and keep the order of the lines", () => {
    const labels = endLabels(linesOf([3, 3, 3, 3.01, 0, 0]));
    expect(labels.map(({ name }) => name)).toEqual(["kind 4", "kind 1", "kind 2", "kind 3", "kind 5", "kind 6"]);
    for (const [index, { y }] of labels.slice(1).entries()) expect(y - Number(labels[index]?.y)).toBeGreaterThan(13.9);
    expect(new Set(labels.map(({ x }) => x)).size).toBe(1);
  });

  it.each([
    ["more than six lines", linesOf([1, 2, 3, 4, 5, 6, 7])],
    ["a narrow figure", linesOf([1, 2], { width: 150 })],
    ["several panels", linesOf([1, 2], { by: "date" })],
  ])("are left to a legend in %s", (_, figure) => {
    expect(endLabels(figure)).toEqual([]);
    expect(figure.toSVG()).toContain("data-entry");
  });

  it("name the bands of a cumulative flow from top to bottom", () => {
    const counts = table({
      date: ["2026-01-01", "2026-02-01"].flatMap((date) => [date, date]),
      value: ["A", "B", "A", "B"],
      count: [4, 1, 2, 3],
    });
    expect(endLabels(cumulativeFlow(counts, "value", { order: ["A", "B"] })).map(({ name }) => name)).toEqual([
      "A",
      "B",
    ]);
  });
});

describe("labels in free space", () => {
  it("name the line of a plan once, at its end or next to it", async () => {
    const history = await weeklyHistory();
    const figureOf = (until: string) =>
      sCurve(history, "STATUS", {
        stages: ["OPEN", "CLOSED"],
        plan: table({ date: ["2024-01-01", until], value: [0, 12] }),
      });
    expect(endLabels(figureOf("2024-03-24")).map(({ name }) => name)).toEqual(["plan", "CLOSED"]);
    const early = figureOf("2024-02-10");
    expect(endLabels(early)).toEqual([]);
    expect(wordsOf(early).match(/ plan /g)).toHaveLength(1);
  });
});
