import type { ColumnTable } from "arquero";
import { diagnosticsOf } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { formatNumber } from "../../core/format/format-number.js";
import { formatCountTick } from "../../core/format/format-tick.js";
import type { Weight, WeightOptions } from "../../history/columns/weights.js";
import { isHistory } from "../../history/is-history.js";
import { chartGrid } from "../../history/order/chart-date.js";
import { inCourse, valueOrder } from "../../history/order/legend-order.js";
import type { Dates } from "../../history/time/date-grid.js";
import type { TimePoint } from "../../history/time/valid-time.js";
import type { History, Layer } from "../../layer/layer.js";
import { MOST_DATES, requireDrawable } from "../values/require-drawable.js";
import { requireAnswered, tableRows } from "../values/table-rows.js";
import { datedCounts, historyOf, withOptions } from "../values/value-order.js";

/** Number or quantity of features by value at each date; every date has every value. */
export interface CountsOverTime {
  /** Unit of the counts: `features`, or the unit of the weights. */
  readonly unit: string;
  /** Notes on the weights, one sentence each. */
  readonly notes: readonly string[];
  readonly dates: readonly Date[];
  /** In the order of the column: all values of a history, at any date. */
  readonly values: readonly string[];
  /** The same with unused choices; determines the colors. */
  readonly places: readonly string[];
  /** Whether the values are the steps of a process. */
  readonly isProcess: boolean;
  count(date: Date, value: string): number;
  /** All features at a date. */
  total(date: Date): number;
}

const hint =
  "Pass a history (`await layer.history()`), or a table with a column `date` such as `history.counts()` or `history.panel()`.";

/** Fewer ticks than Plot's, which would have fractions. */
const FEW_TICKS = 5;

/**
 * Returns the ticks of an axis of counts.
 *
 * @param highest count on the axis
 */
export function countTicks(highest: number): {
  readonly tickFormat: (count: number) => string;
  readonly ticks?: number;
} {
  return { tickFormat: formatCountTick, ...(highest < FEW_TICKS ? { ticks: Math.max(1, highest) } : {}) };
}

/**
 * Returns counts of the values of a column by date, from a history, or from a table with a column `date` whose rows
 * represent one feature each, or `count` features. With a weight they are quantities, in a table those of that column.
 */
export function countsOverTime(
  data: History | Layer | ColumnTable,
  column: string,
  dates?: Dates,
  until?: TimePoint,
  weighing: WeightOptions = {},
): CountsOverTime {
  const ofHistory = isHistory(data);
  const { weight, unit: askedUnit } = weighing;
  const table = ofHistory ? data.counts(column, chartGrid(data, dates, until), weighing) : data;
  const valueColumn = ofHistory || (!hasColumn(table, column) && hasColumn(table, "value")) ? "value" : column;
  const amountColumn = weight === undefined ? "count" : ofHistory ? "quantity" : amountOf(weight);
  const dated = datedCounts(table, valueColumn, hint, amountColumn);
  const counts = new Map<number, Map<string, number>>();
  for (const { time, label, count } of dated) {
    const ofTime = counts.get(time) ?? new Map<string, number>();
    ofTime.set(label, (ofTime.get(label) ?? 0) + count);
    counts.set(time, ofTime);
  }
  const history = historyOf(data, column);
  requireDrawable(counts.size, "dates", MOST_DATES);
  const times = [...counts.keys()].sort((a, b) => a - b);
  // The order of values depends on the number of features, independent of weights.
  const inOrder = ofHistory && !dates && weight === undefined ? dated : undefined;
  const diagnostics = ofHistory && weight !== undefined ? diagnosticsOf(table) : [];
  return {
    unit: weight === undefined ? "features" : (askedUnit ?? unitOf(table, amountColumn)),
    notes: diagnostics.filter(({ code }) => code.startsWith("weight-")).map(({ message }) => message),
    dates: times.map((time) => new Date(time)),
    ...(history ? valueOrder(history, column, inOrder) : withOptions(data, column, inCourse(dated, []))),
    count: (date, value) => counts.get(date.getTime())?.get(value) ?? 0,
    total: (date) => [...(counts.get(date.getTime())?.values() ?? [])].reduce((sum, count) => sum + count, 0),
  };
}

/** @throws ArgumentError for a function, since rows of a table are not features */
function amountOf(weight: Weight): string {
  if (typeof weight === "string") return weight;
  throw new ArgumentError("weight must be a column name for a table, got a function.", {
    hint: "Pass the history (`await layer.history()`), or the name of the table's column of quantities.",
  });
}

/** The unit of a table's quantities: its own, else that of the layer's column, else the column's name. */
function unitOf(table: Layer | ColumnTable, amountColumn: string): string {
  const rows = tableRows(table, hint);
  const unit = rows.has("unit") && rows.count > 0 ? rows.column("unit")(0) : undefined;
  return typeof unit === "string" ? unit : (rows.format(amountColumn).unit ?? amountColumn);
}

/** The earned amount of the features at a date. */
export function earnedOf(counts: CountsOverTime, date: Date, share: (label: string) => number): number {
  return counts.values.reduce((sum, label) => sum + counts.count(date, label) * share(label), 0);
}

/** An amount in a figure: features exactly, quantities rounded to significant digits. */
export function shownAmount(amount: number, { unit }: Pick<CountsOverTime, "unit">): string {
  return unit === "features" ? String(amount) : formatNumber(amount, { decimals: 3 });
}

/**
 * @throws ArgumentError for a report date with a table, whose dates are fixed, for a promise, and for a lazy history
 */
export function requireHistory(call: string, data: unknown, until: TimePoint | undefined): void {
  requireAnswered(data, hint);
  if (until === undefined || isHistory(data)) return;
  throw new ArgumentError(`${call}: until needs a history, got a table.`, {
    hint: "Pass the history (`await layer.history()`), or filter the table by its column date.",
  });
}

function hasColumn(table: Layer | ColumnTable, name: string): boolean {
  return tableRows(table, hint).has(name);
}
