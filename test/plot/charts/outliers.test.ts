import { table } from "arquero";
import { describe, expect, it } from "vitest";
import { editHeatmap, type Figure, transitionMap } from "../../../src/plot/index.js";

const others = [1, 2, 3, 5, 8, 13, 21, 34];

const heatmap = (edits: readonly number[]) =>
  editHeatmap(table({ weekday: edits.map(() => 1), hour: edits.map((_, hour) => hour), edits }));
const transitions = (count: readonly number[]) =>
  transitionMap(table({ from: count.map(() => "start"), to: count.map((_, to) => `value ${to}`), count }), "STATUS");

/** The share of the shades that the counts except the largest use. */
function shareOfShades(figure: Figure, counts: readonly number[], most: number): number {
  const scale = figure.scale("opacity");
  const shades = counts.map((count) => Number(scale?.apply(count)));
  const [pale = 0, full = 0] = [Math.min(...shades), Number(scale?.apply(most))];
  return (Math.max(...shades) - pale) / (full - pale);
}

describe.each([
  ["editHeatmap", heatmap],
  ["transitionMap", transitions],
] as const)("the shades of %s", (_, draw) => {
  it("distinguish counts by rank next to a count that is a hundred times as large", () => {
    const figure = draw([...others, 3400]);
    expect(shareOfShades(figure, others, 3400)).toBeGreaterThan(0.7);
    const shades = [...others, 3400].map((count) => Number(figure.scale("opacity")?.apply(count)));
    expect(shades).toEqual(shades.toSorted((a, b) => a - b));
    expect(new Set(shades).size).toBe(shades.length);
    expect(figure.outerHTML).toContain("; shaded by rank, since the largest, 3,400, is far above the others</h3>");
  });

  it("distinguish counts by rank if two thirds of the shades would be unused", () => {
    const counts = Array.from({ length: 20 }, (_, at) => 59 + at);
    expect(draw([...counts, 964]).outerHTML).toContain("shaded by rank, since the largest, 964,");
    expect(draw([...counts, 500]).outerHTML).not.toContain("by rank");
  });

  it("use a square root for similar, equal, few or missing counts", () => {
    for (const counts of [others, [1, 3400], [], [7, 7, 7], [1]]) {
      const figure = draw(counts);
      expect(figure.scale("opacity")?.type ?? "sqrt").toMatch(/sqrt|pow/);
      expect(figure.outerHTML).not.toContain("by rank");
    }
  });
});
