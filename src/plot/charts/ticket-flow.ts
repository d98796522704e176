// Figures of `history.flow()`: cycle times as dots and as a histogram, work in progress by age, and arrivals and
// departures.

import * as ObservablePlot from "@observablehq/plot";
import type { ColumnTable } from "arquero";
import { counted } from "../../core/counted.js";
import { diagnosticsOf } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { inUtc } from "../../core/format/format-date.js";
import { formatDays } from "../../core/format/format-duration.js";
import { formatInterval, periodNamer } from "../../core/format/format-interval.js";
import { formatCount, formatNumber } from "../../core/format/format-number.js";
import { formatCountTick } from "../../core/format/format-tick.js";
import { checkOptions, givenOptions, type OptionRules } from "../../core/options.js";
import { quantile } from "../../core/quantile.js";
import { textOrder } from "../../core/text-order.js";
import { isHistory } from "../../history/is-history.js";
import { chartDate } from "../../history/order/chart-date.js";
import { valueOrder } from "../../history/order/legend-order.js";
import { valueLabel } from "../../history/order/value-label.js";
import { type FlowOptions, flowRules } from "../../history/questions/flow.js";
import type { History } from "../../layer/layer.js";
import { chart } from "../figure/chart.js";
import { CHART_WIDTH, type Figure, type FigureOptions, figureRules } from "../figure/figure.js";
import { silent } from "../tips/extract-tooltips.js";
import { plainText } from "../tips/tooltip-channels.js";
import { accent, changeColors } from "../values/palette.js";
import { captionOf, readingNote } from "../values/present-note.js";
import { MOST_DATES, requireDrawable } from "../values/require-drawable.js";
import { capital, columnWords, dayWords, valueWords } from "../values/spoken-options.js";
import { tableRows } from "../values/table-rows.js";

/** Options of the flow figures: those of `history.flow()` except groups and blocked time. All others are passed to Plot. */
export interface FlowFigureOptions extends Partial<Omit<FlowOptions, "by" | "blocked">>, FigureOptions {}

const { by: _by, blocked: _blocked, ...ungrouped } = flowRules;
export const flowFigureRules: OptionRules<FlowFigureOptions> = { ...figureRules, ...ungrouped };

const hint = "Pass a history with { done }, or the result of `history.flow()`.";

/** Data of a figure, and the options of Plot. */
interface Asked {
  readonly table: ColumnTable;
  readonly plotOptions: FigureOptions;
  /** Unit of the lengths. */
  readonly unit: "days" | "working days";
}

/** @throws ArgumentError without `done` */
function ask(call: string, data: History | ColumnTable, column: string, options: FlowFigureOptions): Asked {
  checkOptions(call, options, flowFigureRules);
  const { done, start, every, from, until, due, unknownStart, calendar, ...plotOptions } = options;
  const unit = dayWords({ calendar });
  if (!isHistory(data)) return { table: data, plotOptions, unit };
  if (done === undefined) {
    throw new ArgumentError(`${call}: done is missing.`, {
      hint: 'Set the value of a finished item: { done: "CLOSED" }.',
    });
  }
  const rest = givenOptions({ start, every, from, until, due, unknownStart, calendar });
  return { table: data.flow(column, { done, ...rest }), plotOptions, unit };
}

/** An additional table of `flow()`, or the given table itself. */
function part(table: ColumnTable, name: "cycles" | "work"): ColumnTable {
  const column: unknown = Reflect.get(table, name);
  return column === undefined ? table : (column as ColumnTable);
}

/** A finished item. */
interface Cycle {
  readonly item: string;
  readonly done: Date;
  readonly days: number;
}

/** Items with a cycle time, in chronological order, and the number of items without one. */
function cyclesOf(table: ColumnTable): { readonly cycles: readonly Cycle[]; readonly without: number } {
  const rows = tableRows(part(table, "cycles"), hint);
  const [doneAt, daysAt] = [rows.column("done_at"), rows.column("cycle_days")];
  const nameAt = nameOf(rows);
  const cycles = Array.from({ length: rows.count }, (_, row) => row).flatMap((row): Cycle[] => {
    const days = daysAt(row);
    return days === null ? [] : [{ item: nameAt(row), done: chartDate(doneAt(row)), days: Number(days) }];
  });
  return { cycles, without: rows.count - cycles.length };
}

function nameOf(rows: ReturnType<typeof tableRows>): (row: number) => string {
  const at = rows.column(rows.has("visible_id") ? "visible_id" : "id");
  return (row) => valueLabel(at(row));
}

/** A line at a percentile of the days. */
interface Line {
  readonly name: string;
  readonly days: number;
}

function linesOf(cycles: readonly Cycle[]): readonly Line[] {
  const sorted = cycles.map(({ days }) => days).sort((a, b) => a - b);
  if (sorted.length === 0) return [];
  return [50, 85, 95].map((percent) => ({ name: `P${percent}`, days: quantile(sorted, percent / 100) }));
}

/** @param unit omitted if the text states it otherwise */
function linesText(lines: readonly Line[], unit?: Asked["unit"]): string {
  return lines
    .map(({ name, days }) => {
      const text = unit
        ? formatDays(days, { unit, decimals: 1 })
        : formatNumber(days, { decimals: 1, leastDecimals: 1 });
      return `${name}\u00a0${text}`;
    })
    .join(", ");
}

/** Labels of lines moved apart so that they do not overlap. */
function labelled(lines: readonly Line[], mostDays: number): readonly (Line & { readonly at: number })[] {
  const gap = mostDays / 18;
  let last = Number.NEGATIVE_INFINITY;
  return lines.map((line) => {
    last = Math.max(line.days, last + gap);
    return { ...line, at: last };
  });
}

const strong = { strokeDasharray: "5,4", strokeOpacity: 0.75 };

/** Maximum number of dots in a page. */
const MOST_DOTS = 1000;

/**
 * Returns a scatter plot of cycle times: one dot for each finished item, by the date when it was finished, with lines at
 * 50, 85 and 95 percent. With more than 1,000 items, the 1,000 most recent are drawn; the lines include all.
 *
 * @param data a history, or the result of `history.flow()` or its `cycles`
 * @param column the property with the status
 * @throws ArgumentError if `done` is missing
 * @example
 * cycleTimeScatter(history, "STATUS", { start: "IN_PROGRESS", done: "CLOSED" })
 */
export function cycleTimeScatter(data: History | ColumnTable, column: string, options: FlowFigureOptions = {}): Figure {
  const { table, plotOptions, unit } = ask("cycleTimeScatter()", data, column, options);
  const { cycles, without } = cyclesOf(table);
  const dots = cycles.slice(-MOST_DOTS);
  const lines = linesOf(cycles);
  const most = dots.reduce((longest, { days }) => Math.max(longest, days), 0);
  return chart(
    {
      ariaLabel: `Scatter plot of ${counted(cycles.length, "cycle time")} by completion date: ${linesText(lines, unit) || "none"}.`,
      provenance: data,
      nothing: cycles.length === 0 && "No finished items",
      title: "Cycle times",
      subtitle: `${subtitle(column, options, lines, unit)}${dots.length < cycles.length ? `; the last ${formatCount(MOST_DOTS)} of ${formatCount(cycles.length)} are shown` : ""}`,
      ...caption(data, options, table, without),
      width: CHART_WIDTH,
      height: 340,
      marginRight: 44,
      marginBottom: 48,
      x: {
        type: "utc",
        label: "date of completion",
        labelAnchor: "center",
        labelArrow: "none",
        inset: 10,
        labelOffset: 44,
      },
      y: { label: unit, grid: true, zero: true, nice: true },
      marks: [
        ObservablePlot.ruleY([0]),
        ObservablePlot.dot(dots, {
          x: "done",
          y: "days",
          fill: accent,
          fillOpacity: 0.65,
          r: 3.5,
          channels: { item: "item" },
        }),
        ...lineMarks(lines, Math.max(most, lines.at(-1)?.days ?? 0)),
      ],
    },
    plotOptions,
  );
}

/** @param index the facet with the labels */
function lineMarks(
  lines: readonly Line[],
  most: number,
  index: Pick<ObservablePlot.TextOptions, "fx"> = {},
): ObservablePlot.Markish[] {
  return [
    silent(ObservablePlot.ruleY(lines, { y: "days", ...strong })),
    silent(
      ObservablePlot.text(labelled(lines, most), {
        ...index,
        y: "at",
        text: "name",
        frameAnchor: "right",
        textAnchor: "start",
        dx: 6,
        fontSize: 11,
      }),
    ),
  ];
}

function subtitle(
  column: string,
  { done, start }: FlowFigureOptions,
  lines: readonly Line[],
  unit: Asked["unit"],
): string {
  const end = done === undefined ? `the end in ${columnWords(column)}` : valueWords(done);
  const what =
    start === undefined ? `${capital(unit)} until ${end}` : `${capital(unit)} from ${valueWords(start)} to ${end}`;
  return lines.length === 0 ? what : `${what}: ${linesText(lines)}`;
}

/** Maximum number of bars in a histogram. */
const MOST_BARS = 40;

/**
 * Returns a histogram of cycle times, in bars of equal length, with lines at 50, 85 and 95 percent.
 *
 * @param data a history, or the result of `history.flow()` or its `cycles`
 * @param column the property with the status
 * @throws ArgumentError if `done` is missing
 * @example
 * cycleTimeHistogram(history, "STATUS", { start: "IN_PROGRESS", done: "CLOSED" })
 */
export function cycleTimeHistogram(
  data: History | ColumnTable,
  column: string,
  options: FlowFigureOptions = {},
): Figure {
  const { table, plotOptions, unit } = ask("cycleTimeHistogram()", data, column, options);
  const { cycles, without } = cyclesOf(table);
  const lines = linesOf(cycles);
  const bars = barsOf(cycles.map(({ days }) => days));
  return chart(
    {
      ariaLabel: `Histogram of ${counted(cycles.length, "cycle time")} in ${unit}: ${linesText(lines, unit) || "none"}.`,
      provenance: data,
      nothing: cycles.length === 0 && "No finished items",
      title: "Cycle times",
      subtitle: subtitle(column, options, lines, unit),
      ...caption(data, options, table, without),
      width: CHART_WIDTH,
      height: 320,
      marginTop: 50,
      x: { label: unit, labelAnchor: "center", labelOffset: 34, zero: true },
      y: { label: "items", grid: true, zero: true, nice: true, tickFormat: formatCountTick },
      marks: [
        ObservablePlot.rectY(bars, {
          x1: "low",
          x2: "high",
          y: "items",
          fill: accent,
          fillOpacity: 0.75,
          insetLeft: 0.5,
          insetRight: 0.5,
          channels: { days: ({ low, high }) => `${low} to ${high}`, items: "items" },
          tip: { format: { x: false, y: false } },
        }),
        silent(ObservablePlot.ruleX(lines, { x: "days", ...strong })),
        ...namesAbove(lines, bars.at(-1)?.high ?? 0),
        ObservablePlot.ruleY([0]),
      ],
    },
    plotOptions,
  );
}

/** Labels of close lines are above each other. */
function namesAbove(lines: readonly Line[], most: number): ObservablePlot.Markish[] {
  let level = 0;
  return lines.map((line, index) => {
    const before = lines[index - 1];
    level = before && line.days - before.days < most / 8 ? level + 1 : 0;
    const below = { text: "name", frameAnchor: "top", textAnchor: "start", dx: 3, fontSize: 11 } as const;
    return silent(ObservablePlot.text([line], { x: "days", dy: -6 - 13 * level, ...below }));
  });
}

/** Natural lengths of bars: parts of a day, then days. */
const LENGTHS = [1, 2, 5, 7, 10, 14, 20, 30, 50, 100, 200, 500, 1000];

/** Bars starting at 0; the end of a bar is the start of the next. */
function barsOf(
  days: readonly number[],
): readonly { readonly low: number; readonly high: number; readonly items: number }[] {
  const most = days.reduce((longest, one) => Math.max(longest, one), 0);
  const barCount = Math.min(MOST_BARS, Math.max(8, Math.ceil(2 * Math.sqrt(days.length))));
  const length =
    most < 2 ? 0.1 : (LENGTHS.find((one) => most / one <= barCount) ?? Math.ceil(most / barCount / 1000) * 1000);
  const items = new Array<number>(Math.floor(most / length) + 1).fill(0);
  for (const one of days) items[Math.floor(one / length)] = (items[Math.floor(one / length)] as number) + 1;
  const round = (index: number) => Number((index * length).toFixed(6));
  return days.length === 0
    ? []
    : items.map((ofDay, index) => ({ low: round(index), high: round(index + 1), items: ofDay }));
}

/**
 * Returns the age of work in progress by value, with lines at 50, 85 and 95 percent of the cycle times of finished items: an
 * item above the lines is slower than nearly all finished ones.
 *
 * @param data a history, or the result of `history.flow()`
 * @param column the property with the status
 * @throws ArgumentError if `done` is missing
 * @example
 * workInProgress(history, "STATUS", { done: ["RESOLVED", "CLOSED"] })
 */
export function workInProgress(data: History | ColumnTable, column: string, options: FlowFigureOptions = {}): Figure {
  const { table, plotOptions, unit } = ask("workInProgress()", data, column, options);
  const rows = tableRows(part(table, "work"), hint);
  const [valueAt, daysAt, nameAt] = [rows.column("value"), rows.column("age_days"), nameOf(rows)];
  const all = Array.from({ length: rows.count }, (_, row) => row).flatMap((row) => {
    const days = daysAt(row);
    return days === null ? [] : [{ item: nameAt(row), value: valueLabel(valueAt(row)), days: Number(days) }];
  });
  const dots = all.slice(0, MOST_DOTS);
  const lines = Reflect.get(table, "cycles") === undefined ? [] : linesOf(cyclesOf(table).cycles);
  const labels = [...new Set(dots.map(({ value }) => value))].sort(textOrder());
  const ordered = isHistory(data) ? valueOrder(data, column).values.filter((value) => labels.includes(value)) : [];
  const values = [...new Set([...ordered, ...labels])];
  const spoken = values.map((value) => `${value} ${all.filter((one) => one.value === value).length}`).join(", ");
  const most = Math.max(dots[0]?.days ?? 0, lines.at(-1)?.days ?? 0);
  return chart(
    {
      ariaLabel: `Dots of ${counted(all.length, "item")} in progress by ${column} and age in ${unit}: ${spoken || "none"}.`,
      provenance: data,
      nothing: dots.length === 0 && "No items in progress",
      title: "Age of work in progress",
      subtitle: `${capital(unit)} since the start${lines.length === 0 ? "" : `; finished items took ${linesText(lines)}`}${dots.length < all.length ? `; the ${formatCount(MOST_DOTS)} oldest are shown` : ""}`,
      ...caption(data, options, table),
      width: CHART_WIDTH,
      height: 340,
      marginRight: 44,
      marginBottom: 34,
      fx: { label: null, domain: values, axis: "bottom", padding: 0.06 },
      x: { axis: null },
      y: { label: unit, grid: true, zero: true, nice: true },
      marks: [
        ObservablePlot.ruleY([0]),
        ObservablePlot.dot(
          dots,
          ObservablePlot.dodgeX("middle", {
            fx: "value",
            y: "days",
            r: 3.5,
            fill: accent,
            fillOpacity: 0.75,
            channels: { item: "item" },
          }),
        ),
        ...lineMarks(lines, most, { fx: () => values.at(-1) }),
      ],
    },
    plotOptions,
  );
}

/** An interval with its arrivals and departures. */
interface Period {
  readonly from: Date;
  readonly to: Date;
  readonly arrived: number;
  readonly reopened: number;
  readonly done: number;
  readonly isWhole: boolean;
}

/**
 * Returns bars of the arrived, reopened and finished items in each interval, and the net change: above 0, the backlog has
 * grown.
 *
 * @param data a history, or the result of `history.flow()`
 * @param column the property with the status
 * @throws ArgumentError if `done` is missing
 * @example
 * netFlow(history, "STATUS", { done: ["RESOLVED", "CLOSED"], every: "month" })
 */
export function netFlow(data: History | ColumnTable, column: string, options: FlowFigureOptions = {}): Figure {
  const { table, plotOptions } = ask("netFlow()", data, column, options);
  const periods = periodsOf(table);
  const net = periods.map((one) => ({ ...one, net: one.arrived + one.reopened - one.done, middle: middleOf(one) }));
  const sum = (of: (one: Period) => number) => periods.reduce((all, one) => all + of(one), 0);
  const [arrived, reopened, done] = [sum((one) => one.arrived), sum((one) => one.reopened), sum((one) => one.done)];
  const nameOfPeriod = periodName(periods);
  const isCut = periods.at(-1)?.isWhole === false;
  const colours = [changeColors.new, changeColors.returned, changeColors.resolved];
  const names = ["arrived", "reopened", "done"];
  const bars = periods
    .flatMap(({ from, to, isWhole, ...counts }) => [
      { from, to, isWhole, kind: "arrived", low: 0, high: counts.arrived, items: counts.arrived },
      {
        from,
        to,
        isWhole,
        kind: "reopened",
        low: counts.arrived,
        high: counts.arrived + counts.reopened,
        items: counts.reopened,
      },
      { from, to, isWhole, kind: "done", low: -counts.done, high: 0, items: counts.done },
    ])
    .filter(({ items }) => items > 0);
  return chart(
    {
      ariaLabel: `Bars of arrived, reopened and finished items by ${column}: ${arrived} arrived, ${reopened} reopened, ${done} done.`,
      provenance: data,
      nothing: periods.length === 0 && "No data",
      title: "Net flow",
      subtitle: `${formatCount(arrived)} arrived, ${formatCount(reopened)} reopened, ${formatCount(done)} done; the line is their net flow${isCut ? "; the last interval is incomplete" : ""}`,
      ...caption(data, options, table),
      width: CHART_WIDTH,
      height: 340,
      x: { type: "utc", label: null },
      y: { label: "items", grid: true, nice: true, inset: HEADROOM, tickFormat: formatCountTick },
      color: { type: "ordinal", domain: names, range: colours, legend: true },
      marks: [
        ObservablePlot.rect(bars, {
          x1: "from",
          x2: "to",
          y1: "low",
          y2: "high",
          fill: "kind",
          fillOpacity: ({ isWhole }: Period) => (isWhole ? 0.85 : 0.5),
          insetLeft: 0.5,
          insetRight: 0.5,
          channels: { from: { value: "from", label: "" }, items: { value: "items", label: "" } },
          tip: {
            format: {
              from: (_: unknown, index: number) => nameOfPeriod(bars[index] as Interval),
              items: (items: number, index: number) =>
                `${formatCount(items)} ${(bars[index] as (typeof bars)[0]).kind}`,
              ...{ x: false, y: false, fill: false, fillOpacity: false, opacity: false },
            },
          },
        }),
        ObservablePlot.ruleY([0]),
        silent(ObservablePlot.lineY(net, { x: "middle", y: "net", strokeWidth: 1.2, strokeOpacity: 0.6 })),
        ObservablePlot.dot(net, {
          x: "middle",
          y: "net",
          r: 3,
          fill: "currentColor",
          channels: { from: { value: "from", label: "" }, "net flow": "net" },
          tip: {
            format: {
              from: (_: unknown, index: number) => nameOfPeriod(net[index] as Interval),
              ...{ x: false, y: false, fill: false },
            },
          },
        }),
      ],
    },
    plotOptions,
  );
}

interface Interval {
  readonly from: Date;
  readonly to: Date;
}

/** Names of periods: `October 2025`, or the days from and to. */
function periodName(periods: readonly Interval[]): (period: Interval) => string {
  const name = periodNamer(periods.map(({ from, to }) => [from, to]));
  return ({ from, to }) => name?.(from, to) ?? formatInterval(from, to, plainText, inUtc);
}

/** Pixels beyond the highest and lowest bars, which would look cut off. */
const HEADROOM = 10;

function middleOf({ from, to }: Period): Date {
  return new Date((from.getTime() + to.getTime()) / 2);
}

/** The intervals; groups are summed. */
function periodsOf(table: ColumnTable): readonly Period[] {
  const rows = tableRows(table, hint);
  requireDrawable(rows.count, "intervals", MOST_DATES);
  const [fromAt, toAt] = [rows.column("from"), rows.column("to")];
  const [arrivedAt, reopenedAt, doneAt] = [rows.column("arrivals"), rows.column("reopened"), rows.column("throughput")];
  const wholeAt = rows.has("is_whole") ? rows.column("is_whole") : () => true;
  const periods = new Map<number, Period>();
  for (let row = 0; row < rows.count; row += 1) {
    const from = chartDate(fromAt(row));
    const before = periods.get(from.getTime()) ?? { arrived: 0, reopened: 0, done: 0 };
    periods.set(from.getTime(), {
      from,
      to: chartDate(toAt(row)),
      arrived: before.arrived + Number(arrivedAt(row)),
      reopened: before.reopened + Number(reopenedAt(row)),
      done: before.done + Number(doneAt(row)),
      isWhole: wholeAt(row) === true,
    });
  }
  return [...periods.values()];
}

/** Caption about the end, unknown starts, and items without a cycle time. */
function caption(
  data: unknown,
  { until }: FlowFigureOptions,
  table: ColumnTable,
  without = 0,
): { readonly caption?: string } {
  const diagnostics = diagnosticsOf(table).filter(({ code }) => code !== "date-after-read");
  const messages = diagnostics.map(({ message }) => message);
  if (without > 0 && diagnostics.length === 0)
    messages.push(`${counted(without, "finished item")} without a cycle time.`);
  return captionOf(readingNote(data, { until }), ...messages);
}
