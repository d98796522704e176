import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { counted } from "../../core/counted.js";
import { ArgumentError } from "../../core/errors.js";
import { formatMeasure, withUnit } from "../../core/format/format-number.js";
import { formatTick } from "../../core/format/format-tick.js";
import { niceAtLeast, timesNice } from "../../core/nice-number.js";
import { anything, checkOptions, type OptionRules, text } from "../../core/options.js";
import { quantile } from "../../core/quantile.js";
import { showTimeOrNumber } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import type { Layer } from "../../layer/layer.js";
import { chart } from "../figure/chart.js";
import { CHART_WIDTH, type Figure, type FigureOptions, figureRules } from "../figure/figure.js";
import { textWidth } from "../figure/svg-text.js";
import { silent } from "../tips/extract-tooltips.js";
import { classifyValues } from "../values/classify-values.js";
import { accent } from "../values/palette.js";
import { capital, columnWords } from "../values/spoken-options.js";
import { tableRows } from "../values/table-rows.js";
import { columnOrder } from "../values/value-order.js";
import { countTicks } from "./counts-over-time.js";

/** Options of `histogram()`. All others are passed to Plot. */
export interface HistogramOptions extends FigureOptions {
  /** Column whose values divide each bar: at most eight, with rare ones as "other". */
  readonly by?: string;
  /** Approximate number of bars (at most 200), or all edges, ascending. Default: depends on the number of values. */
  readonly bins?: number | readonly number[];
  /** Unit of the numbers, for the axis and labels. Default: that of the layer's column. */
  readonly unit?: string;
  /** Values of `by`, in the order of the legend. */
  readonly order?: readonly unknown[];
}

export const histogramRules: OptionRules<HistogramOptions> = {
  ...figureRules,
  by: text,
  bins: anything,
  unit: text,
  order: anything,
};

/**
 * Returns a histogram of a column: bars of equal width between round numbers, with a line at the median. A few numbers far
 * from all others, often typos, are in a paler, open bar at the end, so that they do not squeeze the others into one; the
 * subtitle has their count.
 *
 * @param data a layer or a table
 * @param column of numbers; the caption has the number of rows without one
 * @throws ArgumentError for unknown columns, values that are not numbers, and invalid bins
 * @example
 * histogram(panels, "Pull-out test", { bins: 20 })
 */
export function histogram(data: Layer | ColumnTable, column: string, options: HistogramOptions = {}): Figure {
  checkOptions("histogram()", options, histogramRules);
  const { by, bins, order = [], ...given } = options;
  const rows = tableRows(data, "Pass a layer or an Arquero table, and a column of numbers.");
  const { unit = rows.format(column).unit, ...plotOptions } = given;
  const [numberAt, groupAt] = [rows.column(column), by === undefined ? () => undefined : rows.column(by)];
  const numbers = Array.from({ length: rows.count }, (_, row) => row).flatMap((row) => {
    const number = numberOf(numberAt(row), column, row);
    return number === null ? [] : [{ number, group: groupAt(row) }];
  });
  const sorted = Float64Array.from(numbers, ({ number }) => number).sort();
  const bounds = sorted.length === 0 ? noBounds : boundsOf(sorted, bins);
  const groups =
    by === undefined
      ? undefined
      : classifyValues(
          numbers.map(({ group: value }) => ({ value })),
          { order, course: columnOrder(data, by) },
        );
  const bars = barsOf(numbers, bounds, (group) => groups?.labelOf(group) ?? "", groups?.labels ?? [""]);
  const tell = (number: number) => withUnit(formatMeasure(number), unit);
  const words = (bar: Pick<Bar, "from" | "to" | "isBelow" | "isAbove">) => barWords(bar, bounds, tell);
  const summary = [
    counted(numbers.length, "number"),
    ...(numbers.length === 0
      ? []
      : [rangeWords(sorted, (number) => withUnit(formatMeasure(number, SUMMARY_DIGITS), unit))]),
  ].join(", ");
  const notes = [
    ...(rows.count > numbers.length ? [`${counted(rows.count - numbers.length, "row")} without a number.`] : []),
    ...(bounds.outside > 0 ? [`${counted(bounds.outside, "number")} outside of the bins.`] : []),
  ];
  const largest = Math.max(...bounds.edges.map(Math.abs));
  const widest = Math.max(...bounds.edges.map((edge) => textWidth(formatTick(edge, largest), TICK_SIZE)));
  const highest = Math.max(0, ...bars.map(({ above }) => above));
  const draw = (ticks: number): Omit<FigureOptions, "ariaLabel"> => ({
    x: {
      label: unit ?? null,
      labelAnchor: "center",
      labelArrow: "none",
      domain: [bounds.edges[0] as number, bounds.edges.at(-1) as number],
      ticks: numbers.length === 0 ? [] : ticksOf(bounds, Math.min(ticks, (TICK_ROOM * ticks) / (widest + TICK_GAP))),
      tickFormat: (tick: number) => formatTick(tick, largest),
    },
  });
  return chart(
    {
      ariaLabel: `Histogram of ${column}: ${summary}${bars.length === 0 ? "" : `; most are ${commonest(bars, words)}`}.`,
      provenance: data,
      nothing: numbers.length === 0 && "No numbers",
      title: capital(by === undefined ? columnWords(column) : `${columnWords(column)} by ${columnWords(by)}`),
      subtitle: `${summary}${farWords(bars, words)}`,
      ...(notes.length === 0 ? {} : { caption: notes.join(" ") }),
      width: CHART_WIDTH,
      height: 300,
      marginTop: 28,
      y: {
        label: null,
        grid: true,
        nice: true,
        ...countTicks(highest),
      },
      ...(groups ? { color: { domain: groups.labels, range: groups.colours, legend: true } } : {}),
      ...draw(10),
      marks: [
        barMark(bars, { column, by, fill: groups ? "group" : accent, words }),
        silent(ObservablePlot.text(farBars(bars), { x: "middle", y: "above", text: "count", dy: -7, fontSize: 11 })),
        silent(ObservablePlot.ruleY([0])),
        ...(numbers.length === 0 ? [] : medianLine(quantile(sorted, 0.5), bounds)),
      ],
    },
    plotOptions,
    draw(5),
  );
}

/** Pixels: width of a tick's part of the axis, at least between labels, and size of their letters. */
const [TICK_ROOM, TICK_GAP, TICK_SIZE] = [64, 14, 12];

/** The bars, with their intervals and counts in tooltips. */
function barMark(
  bars: readonly Bar[],
  {
    column,
    by,
    fill,
    words,
  }: {
    readonly column: string;
    readonly by: string | undefined;
    readonly fill: string;
    readonly words: (bar: Bar) => string;
  },
): ObservablePlot.Markish {
  return ObservablePlot.rectY(bars, {
    x1: "from",
    x2: "to",
    y1: "below",
    y2: "above",
    fill,
    fillOpacity: ({ isBelow, isAbove }: Bar) => (isBelow || isAbove ? 0.45 : 0.9),
    insetLeft: 0.5,
    insetRight: 0.5,
    channels: { [column]: intervalOf, ...(by === undefined ? {} : { [by]: "group" }), count: "count" },
    tip: {
      format: {
        [column]: (_: unknown, index: number) => words(bars[index] as Bar),
        x: false,
        y: false,
        fill: false,
        fillOpacity: false,
        opacity: false,
      },
    },
  });
}

/** Significant digits of a summary. */
const SUMMARY_DIGITS = 3;

function rangeWords(sorted: Float64Array, tell: (number: number) => string): string {
  const [least, most] = [sorted[0] as number, sorted.at(-1) as number];
  if (least === most) return sorted.length === 1 ? tell(least) : `all ${tell(least)}`;
  return `median ${tell(quantile(sorted, 0.5))}, from ${formatMeasure(least, SUMMARY_DIGITS)} to ${tell(most)}`;
}

/** Differences between larger numbers overflow. */
const LARGEST = 1e300;

/** @returns null if the cell is empty */
function numberOf(value: unknown, column: string, row: number): number | null {
  if (value === null || value === undefined || value === "") return null;
  const number = typeof value === "bigint" ? Number(value) : value;
  if (typeof number === "number" && !(Math.abs(number) > LARGEST)) return Number.isNaN(number) ? null : number;
  if (typeof number === "number") {
    throw new ArgumentError(`histogram(): ${column} of row ${row} is ${number}; the maximum is ${LARGEST}.`, {
      hint: "Remove placeholder values with layer.table.filter(…).",
      facts: { column, row },
    });
  }
  throw new ArgumentError(`histogram(): ${column} of row ${row} is ${showTimeOrNumber(value)}, not a number.`, {
    hint: "For other values, use pareto() or layer.table.groupby(…).count().",
    facts: { column, row },
  });
}

/** Edges of the bars. */
interface Bounds {
  /** Edges of all bars, including open ones, ascending. */
  readonly edges: readonly number[];
  /** Whether the first bar is open below, and the last one above. */
  readonly isOpenBelow: boolean;
  readonly isOpenAbove: boolean;
  /** Whether each bar is centered on one integer. */
  readonly isOneEach: boolean;
  /** Count of numbers outside of all bars. */
  readonly outside: number;
}

/** Bounds without numbers: the axis needs some extent. */
const noBounds: Bounds = { edges: [0, 1], isOpenBelow: false, isOpenAbove: false, isOneEach: false, outside: 0 };

const [FEWEST, USUAL_MOST, MOST] = [5, 40, 200];

/** A few numbers are far if they are farther from the middle half than this many times its width. */
const FAR = 6;
const FEW = 0.02;

/** Minimum relative width of bars: narrower ones could not be distinguished. */
const FINEST = 2 ** -50;

function boundsOf(sorted: Float64Array, bins: HistogramOptions["bins"]): Bounds {
  if (Array.isArray(bins)) return givenBounds(sorted, bins);
  const count = bins === undefined ? undefined : binCount(bins);
  const [lower, upper] = [quantile(sorted, 0.25), quantile(sorted, 0.75)];
  const reach = FAR * (upper - lower);
  const isNear = (number: number) => reach === 0 || (number >= lower - reach && number <= upper + reach);
  const near = sorted.filter(isNear);
  const inner = near.length >= (1 - FEW) * sorted.length ? near : sorted;
  const [least, most] = [inner[0] as number, inner.at(-1) as number];
  const areWhole = inner.every(Number.isInteger);
  const wanted = count ?? usualCount(inner, upper - lower);
  const finest = Math.max(Math.abs(least), Math.abs(most)) * FINEST;
  const step = niceAtLeast(Math.max((most - least) / wanted || Math.abs(most) / 10 || 1, areWhole ? 1 : 0, finest));
  const isOneEach = areWhole && step === 1;
  const shift = isOneEach ? -0.5 : 0;
  const edgeAt = (index: number) => timesNice(index, step) + shift;
  let [first, last] = [Math.floor(least / step), Math.floor(most / step) + 1];
  if (edgeAt(first) > least) first -= 1;
  if (edgeAt(last) <= most) last += 1;
  const isOpenBelow = (sorted[0] as number) < least;
  const isOpenAbove = (sorted.at(-1) as number) > most;
  const length = last - first + 1 + Number(isOpenBelow) + Number(isOpenAbove);
  const edges = Array.from({ length: length }, (_, index) => edgeAt(first + index - Number(isOpenBelow)));
  return { edges, isOpenBelow, isOpenAbove, isOneEach, outside: 0 };
}

/** Freedman-Diaconis rule: the more numbers and the narrower their middle half, the more bars. */
function usualCount(sorted: Float64Array, middle: number): number {
  const range = (sorted.at(-1) as number) - (sorted[0] as number);
  const count = middle > 0 ? (range * Math.cbrt(sorted.length)) / (2 * middle) : Math.sqrt(sorted.length);
  return Math.min(USUAL_MOST, Math.max(FEWEST, Math.ceil(count)));
}

function binCount(bins: unknown): number {
  if (typeof bins === "number" && Number.isInteger(bins) && bins >= 1 && bins <= MOST) return bins;
  throw wrongBins(bins);
}

/** With given edges, the last edge belongs to the last bar, as in numpy and pandas. */
function givenBounds(sorted: Float64Array, edges: readonly unknown[]): Bounds {
  const isAscending = edges.every(
    (edge, index) => Number.isFinite(edge) && (index === 0 || (edge as number) > (edges[index - 1] as number)),
  );
  if (edges.length < 2 || edges.length > MOST + 1 || !isAscending) throw wrongBins(edges);
  const [first, last] = [edges[0] as number, edges.at(-1) as number];
  const outside = sorted.filter((number) => number < first || number > last).length;
  return { ...noBounds, edges: edges as readonly number[], outside };
}

function wrongBins(bins: unknown): ArgumentError {
  return new ArgumentError(`histogram(): bins must be 1 to ${MOST}, or ascending edges, got ${showValue(bins)}.`, {
    hint: "For example: { bins: 20 } or { bins: [0, 10, 50, 100] }.",
    facts: { option: "bins" },
  });
}

/** The numbers of one group in one bar, stacked on the groups before. */
interface Bar {
  readonly from: number;
  readonly to: number;
  readonly group: string;
  readonly count: number;
  readonly below: number;
  readonly above: number;
  readonly isBelow: boolean;
  readonly isAbove: boolean;
  /** Whether its end is included. */
  readonly isLast: boolean;
}

function barsOf(
  numbers: readonly { readonly number: number; readonly group: unknown }[],
  { edges, isOpenBelow, isOpenAbove }: Bounds,
  labelOf: (group: unknown) => string,
  labels: readonly string[],
): readonly Bar[] {
  const lastBar = edges.length - 2;
  const counts = Array.from({ length: lastBar + 1 }, () => new Map<string, number>());
  for (const { number, group } of numbers) {
    const counted = counts[placeOf(number, edges, isOpenBelow, isOpenAbove)];
    if (!counted) continue;
    const label = labelOf(group);
    counted.set(label, (counted.get(label) ?? 0) + 1);
  }
  return counts.flatMap((counted, index) => {
    let above = 0;
    return labels.flatMap((group): Bar[] => {
      const count = counted.get(group);
      if (count === undefined) return [];
      const below = above;
      above += count;
      const [from, to] = [edges[index] as number, edges[index + 1] as number];
      const isBelow = isOpenBelow && index === 0;
      const isLast = index === lastBar;
      return [{ from, to, group, count, below, above, isBelow, isAbove: isOpenAbove && isLast, isLast }];
    });
  });
}

/** The interval of a bar; the end is excluded. */
function intervalOf({ from, to, isBelow, isAbove, isLast }: Bar): readonly [from: number, to: number] {
  const above = to + (Math.abs(to) * Number.EPSILON || Number.MIN_VALUE);
  return [isBelow ? -Number.MAX_VALUE : from, isAbove ? Number.MAX_VALUE : isLast ? above : to];
}

/** The index of the bar of a number; -1 if outside. */
function placeOf(number: number, edges: readonly number[], isOpenBelow: boolean, isOpenAbove: boolean): number {
  const lastBar = edges.length - 2;
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edges[middle] as number) <= number) low = middle + 1;
    else high = middle;
  }
  const index = low - 1;
  if (index < 0) return isOpenBelow ? 0 : -1;
  if (index <= lastBar) return index;
  return isOpenAbove || number === edges.at(-1) ? lastBar : -1;
}

/** At most this many edges of closed bars; for bars centered on an integer, the integer. */
function ticksOf({ edges, isOpenBelow, isOpenAbove, isOneEach }: Bounds, most: number): readonly number[] {
  const closed = edges.slice(Number(isOpenBelow), edges.length - Number(isOpenAbove));
  const length = isOneEach ? closed.slice(0, -1).map((edge) => edge + 0.5) : closed;
  const every = niceAtLeast(length.length / most);
  return every <= 1 ? length : length.filter((_, index) => index % every === 0);
}

function medianLine(median: number, { edges }: Bounds): readonly ObservablePlot.Markish[] {
  const [first, last] = [edges[0] as number, edges.at(-1) as number];
  if (median < first || median > last) return [];
  const isAtTheRight = median > first + 0.85 * (last - first);
  const words = { text: () => "median", frameAnchor: "top", dy: -12, fontSize: 11 } as const;
  return [
    silent(ObservablePlot.ruleX([median], { strokeWidth: 1.2, strokeDasharray: "3,3" })),
    silent(
      ObservablePlot.text([median], {
        ...words,
        x: (at: number) => at,
        ...(isAtTheRight ? { textAnchor: "end", dx: -3 } : { textAnchor: "start", dx: 3 }),
      }),
    ),
  ];
}

function barWords(
  { from, to, isBelow, isAbove }: Pick<Bar, "from" | "to" | "isBelow" | "isAbove">,
  { isOneEach }: Bounds,
  tell: (number: number) => string,
): string {
  const shift = isOneEach ? 0.5 : 0;
  if (isBelow) return `below ${tell(to + shift)}`;
  if (isAbove) return `${tell(from + shift)} and more`;
  return isOneEach ? tell(from + shift) : `${formatMeasure(from)} to ${tell(to)}`;
}

/** The open bars of all groups, which are low, with the number above them. */
function farBars(bars: readonly Bar[]) {
  return [true, false].flatMap((isBelow) => {
    const open = bars.filter((bar) => (isBelow ? bar.isBelow : bar.isAbove));
    const above = open.at(-1)?.above ?? 0;
    return open
      .slice(0, 1)
      .map((bar) => ({ bar, above, count: formatMeasure(above), middle: (bar.from + bar.to) / 2 }));
  });
}

function farWords(bars: readonly Bar[], words: (bar: Bar) => string): string {
  return farBars(bars)
    .map(({ bar, count }) => `; ${count} far away (${words(bar)})`)
    .join("");
}

/** The highest bar. */
function commonest(bars: readonly Bar[], words: (bar: Bar) => string): string {
  const highest = bars.reduce((best, bar) => (bar.above > best.above ? bar : best));
  return `${words(highest)} (${formatMeasure(highest.above)})`;
}
