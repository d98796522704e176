import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { formatDays } from "../../core/format/format-duration.js";
import { formatNumber } from "../../core/format/format-number.js";
import { formatShort } from "../../core/format/format-tick.js";
import { checkOptions, list, type OptionRules } from "../../core/options.js";
import { isHistory } from "../../history/is-history.js";
import { inCourse, valueOrder } from "../../history/order/legend-order.js";
import { valueLabel } from "../../history/order/value-label.js";
import type { History, Layer } from "../../layer/layer.js";
import { chart } from "../figure/chart.js";
import { type Figure, type FigureOptions, figureRules } from "../figure/figure.js";
import { narrowWidth, textWidth } from "../figure/svg-text.js";
import { silent } from "../tips/extract-tooltips.js";
import { accent, countShades, orderLabels } from "../values/palette.js";
import { capital, columnWords } from "../values/spoken-options.js";
import { tableRows } from "../values/table-rows.js";
import { MOST_LINES, mostFrequent } from "../values/value-order.js";

/** Options of `transitionMap()`. All others are passed to Plot. */
export interface TransitionMapOptions extends FigureOptions {
  /** Values from first to last. Default: the order in the definition's options, then of the process. Backward steps are below the diagonal. */
  readonly order?: readonly unknown[];
}

export const transitionMapRules: OptionRules<TransitionMapOptions> = {
  ...figureRules,
  order: list,
};

const hint = "Pass a history, or a table with the columns `from`, `to` and `count` such as `history.transitions()`.";

/**
 * Returns a matrix of transitions: how often each value followed another, and the median days before.
 *
 * @param data a history, or a table like that of `history.transitions()`
 * @param column the property with the status
 * @throws ArgumentError for another table
 * @example
 * transitionMap(history, "STATUS")
 */
export function transitionMap(
  data: History | Layer | ColumnTable,
  column: string,
  options: TransitionMapOptions = {},
): Figure {
  checkOptions("transitionMap()", options, transitionMapRules);
  const { order, ...plotOptions } = options;
  const rows = tableRows(isHistory(data) ? data.transitions(column) : data, hint);
  const [fromAt, toAt, countAt] = [rows.column("from"), rows.column("to"), rows.column("count")];
  const daysAt = rows.has("median_days") ? rows.column("median_days") : () => Number.NaN;
  const all = Array.from({ length: rows.count }, (_, row): Transition => {
    const [from, to] = [valueLabel(fromAt(row)), valueLabel(toAt(row))];
    return { from, to, count: Number(countAt(row)), days: Number(daysAt(row) ?? Number.NaN) };
  });
  const { steps, note } = betweenFrequent(all, order);
  const domain = orderLabels(isHistory(data) ? valueOrder(data, column).values : inCourse([], steps), order).filter(
    (value) => steps.some(({ from, to }) => from === value || to === value),
  );
  const most = steps.toSorted((a, b) => b.count - a.count)[0];
  const widest = Math.max(...domain.map((value) => textWidth(shorten(value), 12)), 0);
  // Slanted names of columns leave the cells as wide as their numbers, so that the figure need not shrink.
  const isSlanted = (widest + 10) * domain.length > WIDE;
  const cell = Math.max(62, isSlanted ? 0 : widest + 10, Math.min(110, 560 / Math.max(domain.length, 1)));
  const above = isSlanted ? 16 + 0.75 * widest : 46;
  const left = Math.max(120, widest + 44);
  const shades = countShades(
    steps.map(({ count }) => count),
    [0.1, 0.75],
  );
  const x = {
    type: "band",
    domain,
    label: "to →",
    axis: "top",
    tickSize: 0,
    padding: 0.06,
    tickFormat: shorten,
  } as const;
  const y = { type: "band", domain, label: "from", tickSize: 0, padding: 0.06, tickFormat: shorten } as const;
  return chart(
    {
      ariaLabel: `Matrix of transitions of ${column}${most ? `; the most frequent is ${most.from} to ${most.to}, ${most.count} times` : ""}.`,
      provenance: data,
      nothing: steps.length === 0 && "No transitions",
      title: `${capital(columnWords(column))} transitions`,
      subtitle: `Count, and median days in the first value${note}${shades.note}`,
      width: left + 10 + cell * Math.max(domain.length, 3),
      height: above + 24 + 54 * Math.max(domain.length, 1),
      marginLeft: left,
      marginTop: above,
      marginBottom: 12,
      x: isSlanted ? { ...x, label: null, tickRotate: -45 } : { ...x, labelAnchor: "center", labelOffset: 40 },
      y: { ...y, labelAnchor: "center", labelOffset: left - 14 },
      opacity: { label: "times", ...shades.opacity },
      marks: marksOf(steps, domain),
    },
    plotOptions,
    // On a phone, names of columns are slanted, and cells as wide as their numbers.
    {
      width: widest + 12 + Math.max(50, (narrowWidth - widest - 16) / Math.max(domain.length, 1)) * domain.length + 4,
      height: 24 + 0.75 * widest + 50 * Math.max(domain.length, 1),
      marginLeft: widest + 12,
      marginRight: 4,
      marginTop: 16 + 0.75 * widest,
      marginBottom: 8,
      x: { ...x, label: null, tickRotate: -45 },
      y: { ...y, label: null },
    },
  );
}

/** A background for all pairs, the transitions over it, and their counts and days. */
function marksOf(steps: readonly Transition[], domain: readonly string[]): ObservablePlot.Markish[] {
  return [
    silent(
      ObservablePlot.cell(
        domain.flatMap((from) => domain.map((to) => ({ from, to }))),
        {
          x: "to",
          y: "from",
          fill: "currentColor",
          fillOpacity: ({ from, to }: { from: string; to: string }) => (from === to ? 0.14 : 0.05),
          rx: 4,
        },
      ),
    ),
    ObservablePlot.cell(steps, {
      x: "to",
      y: "from",
      fill: accent,
      fillOpacity: ({ count }: Transition) => count,
      rx: 4,
      channels: {
        times: "count",
        "median of days": ({ days }: Transition) => (Number.isFinite(days) ? days : null),
      },
      // The first value comes first.
      tip: {
        format: {
          ...{ y: true, x: true, times: true },
          "median of days": (days: number | null) => (days === null ? "none" : formatNumber(days, { decimals: 1 })),
        },
      },
    }),
    ObservablePlot.text(steps, {
      x: "to",
      y: "from",
      text: ({ count }: Transition) => formatShort(count),
      dy: -7,
      fontWeight: "bold",
      fontSize: 14,
    }),
    ObservablePlot.text(steps, { x: "to", y: "from", text: ({ days }) => daysText(days), dy: 10, fontSize: 11 }),
  ];
}

interface Transition {
  readonly from: string;
  readonly to: string;
  readonly count: number;
  readonly days: number;
}

/**
 * The transitions between the most frequent values, and a note about the others. Frequent values need not follow each
 * other.
 */
function betweenFrequent(all: readonly Transition[], listed: readonly unknown[] | undefined) {
  const counts = new Map<string, number>();
  for (const { from, to, count } of all) {
    for (const value of [from, to]) counts.set(value, (counts.get(value) ?? 0) + count);
  }
  const ofEnds = ({ from, to }: Transition) => Number(counts.get(from)) + Number(counts.get(to));
  const byCount = all.toSorted((a, b) => b.count - a.count || ofEnds(b) - ofEnds(a));
  const ranked = [...new Set(byCount.flatMap(({ from, to }) => [from, to]))];
  const ranks = new Map(ranked.map((value, rank) => [value, ranked.length - rank]));
  const { kept, note } = mostFrequent(ranks, MOST_LINES, { listed });
  return { steps: all.filter(({ from, to }) => kept.has(from) && kept.has(to)), note };
}

/** Pixels of all columns, from which on their names are slanted. */
const WIDE = 640;
/** Letters of a name. */
const LONGEST = 40;

function shorten(value: string): string {
  return value.length <= LONGEST ? value : `${value.slice(0, LONGEST - 1)}…`;
}

function daysText(days: number): string {
  if (!Number.isFinite(days)) return "";
  return days < 1000 ? formatDays(days) : `${formatShort(days)} d`;
}
