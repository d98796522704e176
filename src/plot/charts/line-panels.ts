// The panels of a line chart and their lines, from rows.
import type { ColumnTable } from "arquero";
import { counted } from "../../core/counted.js";
import { Layer } from "../../layer/layer.js";
import { orderLabels, palette, valueColours } from "../values/palette.js";
import type { RowSeriesList, SeriesPoint } from "../values/table-rows.js";
import { groupOrder, mostFrequent } from "../values/value-order.js";

/** One line of a panel. */
export interface Line {
  /** Name of the panel and, after a comma, of the series. */
  readonly name: string;
  /** Name of the series; empty if panels have a single line. */
  readonly label: string;
  /** Index of the panel. */
  readonly panel: number;
  readonly points: readonly SeriesPoint[];
}

export interface Panel {
  readonly name: string;
  readonly lines: readonly { readonly label: string; readonly points: readonly SeriesPoint[] }[];
}

/** The panels in their order, and their number. */
export function panelsOf(
  data: Layer | ColumnTable,
  { series }: RowSeriesList,
  {
    by,
    order,
    limit,
    hasSeries,
  }: {
    readonly by: string | undefined;
    readonly order: readonly unknown[];
    readonly limit: number;
    readonly hasSeries: boolean;
  },
): { readonly panels: readonly Panel[]; readonly note: string } {
  const groups = new Map<string, { label: string; points: readonly SeriesPoint[] }[]>();
  for (const { names, points } of series) {
    const name = by === undefined ? "" : (names[0] as string);
    const ofGroup = groups.get(name) ?? [];
    groups.set(name, ofGroup);
    ofGroup.push({ label: hasSeries ? (names.at(-1) as string) : "", points });
  }
  const groupNames = [...groups.keys()];
  const values = isSorted(data) ? groupNames : groupOrder(data, by, groupNames).values;
  const names = orderLabels(values, order).filter((name) => groups.has(name));
  const drawn = names.slice(0, limit);
  const panels = drawn.map((name) => ({ name, lines: groups.get(name) as Panel["lines"] }));
  const left = names.length - drawn.length;
  if (left > 0)
    return {
      panels,
      note: `First ${drawn.length} of ${counted(names.length, "panel")}, ${counted(left)} not shown`,
    };
  return { panels, note: by === undefined || names.length === 0 ? "" : counted(names.length, "panel") };
}

/** Whether the table was sorted; panels and lines then keep its order. */
function isSorted(data: Layer | ColumnTable): boolean {
  return !(data instanceof Layer) && data.isOrdered();
}

/** The lines of panels, limited to the most frequent series, and their colors. */
export function drawnLines(
  data: Layer | ColumnTable,
  panels: readonly Panel[],
  {
    series,
    seriesOrder = [],
  }: { readonly series: string | undefined; readonly seriesOrder: readonly unknown[] | undefined },
) {
  const counts = new Map<string, number>();
  for (const { lines } of panels) {
    for (const { label, points } of lines) counts.set(label, (counts.get(label) ?? 0) + points.length);
  }
  const { kept, note } = mostFrequent(counts, palette.length, { listed: seriesOrder, noun: `values of ${series}` });
  const order = groupOrder(data, series, [...counts.keys()]);
  const values = isSorted(data) ? [...counts.keys()] : order.values;
  const labels = orderLabels(values, seriesOrder).filter((label) => kept.has(label) && counts.has(label));
  const all = panels.flatMap(({ name, lines }, panel) =>
    lines
      .filter(({ label }) => kept.has(label))
      .toSorted((a, b) => labels.indexOf(a.label) - labels.indexOf(b.label))
      .map(({ label, points }): Line => {
        const both = [name, label].filter((part) => part !== "").join(", ");
        return { name: both, label, panel, points: thinned(points) };
      }),
  );
  const rows = sum(
    panels.flatMap(({ lines }) => lines.filter(({ label }) => kept.has(label)).map((line) => line.points.length)),
  );
  const left = rows - sum(all.map(({ points }) => points.length));
  const xs = orderLabels(order.places, seriesOrder);
  const isProcess = order.isProcess || seriesOrder.length > 0;
  return {
    lines: all,
    note: series === undefined ? "" : note,
    notes: left > 0 ? [`${counted(left, "point")} between the extremes of each interval are not drawn.`] : [],
    colours:
      series === undefined
        ? undefined
        : { ...valueColours(labels, { places: xs, isProcess }), label: series, legend: true },
  };
}

/** Lines with more points than this have several points per pixel. */
const [MOST_POINTS, STRETCHES] = [600, 150];

/** For very many points, the first, last, highest and lowest of each interval: the line looks the same. */
function thinned(points: readonly SeriesPoint[]): readonly SeriesPoint[] {
  if (points.length <= MOST_POINTS) return points;
  const size = points.length / STRETCHES;
  return Array.from({ length: STRETCHES }, (_, at) =>
    points.slice(Math.round(at * size), Math.round((at + 1) * size)),
  ).flatMap((stretch) => {
    const knownPoints = stretch.filter(isKnown);
    const byHeight = knownPoints.toSorted((a, b) => a.y - b.y);
    const kept = new Set([stretch[0], stretch.at(-1), byHeight[0], byHeight.at(-1)]);
    return stretch.filter((point) => kept.has(point));
  });
}

export function isKnown(point: SeriesPoint): point is { readonly x: number; readonly y: number } {
  return point.y !== null;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
