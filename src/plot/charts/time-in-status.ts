import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { counted } from "../../core/counted.js";
import { formatDays } from "../../core/format/format-duration.js";
import { formatNumber, formatPercent } from "../../core/format/format-number.js";
import { anything, checkOptions, list, type OptionRules } from "../../core/options.js";
import { quantile } from "../../core/quantile.js";
import { isHistory } from "../../history/is-history.js";
import { valueOrder } from "../../history/order/legend-order.js";
import { valueLabel } from "../../history/order/value-label.js";
import type { TimePoint } from "../../history/time/valid-time.js";
import type { History, Layer } from "../../layer/layer.js";
import { chart } from "../figure/chart.js";
import { CHART_WIDTH, type Figure, type FigureOptions, figureRules } from "../figure/figure.js";
import { silent } from "../tips/extract-tooltips.js";
import { accent, orderLabels } from "../values/palette.js";
import { captionOf, readingNote } from "../values/present-note.js";
import { columnWords } from "../values/spoken-options.js";
import { type TableRows, tableRows } from "../values/table-rows.js";
import { MOST_LINES, mostFrequent } from "../values/value-order.js";

/** Options of `timeInStatus()`. All others are passed to Plot. */
export interface TimeInStatusOptions extends FigureOptions {
  /** End of intervals that are still open. Default: `until` of the history. */
  readonly until?: TimePoint;
  /** Values from top to bottom. Default: the order in the definition's options, then in the log. */
  readonly order?: readonly unknown[];
  /** Values to omit, for example the last one of a process. */
  readonly exclude?: readonly unknown[];
}

export const timeInStatusRules: OptionRules<TimeInStatusOptions> = {
  ...figureRules,
  until: anything,
  order: list,
  exclude: list,
};

const hint =
  "Pass a history, or a table with the columns `value` and `days` (and `intervals`) such as `history.durations()`.";

interface Stay {
  readonly value: string;
  readonly days: number;
  readonly intervals: number;
}

/**
 * Returns the time that features hold each value, all intervals added up: the middle half as a bar, the median as a line,
 * and the number of features that returned to it.
 *
 * @param data a history, or a table like that of `history.durations()`
 * @param column the property with the status
 * @throws ArgumentError for another table
 * @example
 * timeInStatus(history, "STATUS", { exclude: ["CLOSED"] })
 */
export function timeInStatus(
  data: History | Layer | ColumnTable,
  column: string,
  options: TimeInStatusOptions = {},
): Figure {
  checkOptions("timeInStatus()", options, timeInStatusRules);
  const { until, order, exclude = [], ...plotOptions } = options;
  const table = isHistory(data) ? data.durations(column, until === undefined ? {} : { until }) : data;
  const hidden = new Set(exclude.map((value) => valueLabel(value)));
  const all = staysOf(tableRows(table, hint)).filter(({ value }) => !hidden.has(value));
  // The length is unknown if the start is.
  const finite = all.filter(({ days }) => Number.isFinite(days));
  const unmeasured = all.length - finite.length;
  const byValue = new Map<string, Stay[]>();
  for (const stay of finite) {
    const ofValue = byValue.get(stay.value);
    if (ofValue) ofValue.push(stay);
    else byValue.set(stay.value, [stay]);
  }
  const { kept, note } = mostFrequent(
    new Map([...byValue].map(([value, ofValue]) => [value, ofValue.length])),
    MOST_LINES,
    {
      listed: order,
    },
  );
  const values = [...byValue.keys()].filter((value) => kept.has(value));
  const course = isHistory(data)
    ? valueOrder(data, column).values.filter((value) => kept.has(value) && byValue.has(value))
    : [];
  const summaries = orderLabels([...course, ...values], order).flatMap((value) =>
    summarize(value, byValue.get(value) ?? []),
  );
  const spoken = summaries.map(({ value, median }) => `${value} ${formatDays(median)}`).join(", ");
  return chart(
    {
      ariaLabel: `Time in each ${column}, median per feature: ${spoken}.`,
      provenance: data,
      nothing: summaries.length === 0 && "No data",
      title: `Time in each ${columnWords(column)}`,
      subtitle: `Days per feature, all intervals added up: median, and the range of the middle half${note}${unmeasured === 0 ? "" : `; without ${unmeasured} of unknown length`}`,
      ...captionOf(readingNote(data, { until })),
      width: CHART_WIDTH,
      marginTop: 8,
      height: 52 + 46 * Math.max(summaries.length, 1),
      marginLeft: 120,
      marginRight: 190,
      x: { label: "days", labelAnchor: "center", labelOffset: 34, grid: true, zero: true },
      y: { type: "band", label: null, domain: summaries.map(({ value }) => value), padding: 0.35 },
      marks: [
        ...boxes(summaries),
        ObservablePlot.text(summaries, {
          y: "value",
          text: "note",
          frameAnchor: "right",
          dx: 10,
          textAnchor: "start",
          lineHeight: 1.3,
        }),
        ObservablePlot.ruleX([0]),
      ],
    },
    plotOptions,
    besideNothing(summaries),
  );
}

/** The middle half. Its tooltip also has the median, which is drawn in it. */
function boxes(
  summaries: readonly Summary[],
  insets: { readonly insetTop?: number; readonly insetBottom?: number } = {},
): readonly ObservablePlot.Markish[] {
  const y = ({ value }: Summary) => value;
  return [
    ObservablePlot.barX(summaries, {
      x1: "low",
      x2: "high",
      y,
      fill: accent,
      fillOpacity: 0.45,
      rx: 3,
      ...insets,
      channels: { median: "median", features: "features", "came back": "again" },
      tip: { format: { x: inDays, median: inDays } },
    }),
    silent(ObservablePlot.tickX(summaries, { x: "median", y, stroke: accent, strokeWidth: 3, ...insets })),
  ];
}

function inDays(days: number): string {
  return formatNumber(days, { decimals: 1 });
}

/** On a phone, a value and its note are above the bar. */
function besideNothing(summaries: readonly Summary[]): FigureOptions {
  const above = { y: "value", frameAnchor: "left", textAnchor: "start", dx: 2 } as const;
  return {
    height: 52 + 66 * Math.max(summaries.length, 1),
    marginLeft: 12,
    marginRight: 12,
    y: { axis: null, label: null, type: "band", domain: summaries.map(({ value }) => value), padding: 0 },
    marks: [
      ...boxes(summaries, { insetTop: 38, insetBottom: 8 }),
      ObservablePlot.text(summaries, { ...above, text: "value", dy: -21, fontWeight: "bold" }),
      ObservablePlot.text(summaries, { ...above, text: ({ note }: Summary) => note.replace("\n", ", "), dy: -6 }),
      ObservablePlot.ruleX([0]),
    ],
  };
}

function staysOf(rows: TableRows): readonly Stay[] {
  const [valueAt, daysAt] = [rows.column("value"), rows.column("days")];
  const stateAt = rows.has("state") ? rows.column("state") : () => undefined;
  const intervalsAt = rows.has("intervals") ? rows.column("intervals") : () => 1;
  return Array.from({ length: rows.count }, (_, row) => ({
    value: valueLabel(valueAt(row), stateAt(row)),
    days: Number(daysAt(row) ?? Number.NaN),
    intervals: Number(intervalsAt(row)),
  }));
}

interface Summary {
  readonly value: string;
  readonly features: number;
  readonly median: number;
  readonly low: number;
  readonly high: number;
  /** Features that had the value more than once. */
  readonly again: number;
  readonly note: string;
}

function summarize(value: string, ofValue: readonly Stay[]): readonly Summary[] {
  if (ofValue.length === 0) return [];
  const sorted = ofValue.map((stay) => stay.days).sort((a, b) => a - b);
  const again = ofValue.filter(({ intervals }) => intervals > 1).length;
  const median = quantile(sorted, 0.5);
  const share = formatPercent((100 * again) / ofValue.length, { decimals: 0 });
  const note = `median ${formatDays(median)}\n${counted(ofValue.length, "feature")}${again > 0 ? `, ${share} came back` : ""}`;
  const [low, high] = [quantile(sorted, 0.25), quantile(sorted, 0.75)];
  return [{ value, features: ofValue.length, median, low, high, again, note }];
}
