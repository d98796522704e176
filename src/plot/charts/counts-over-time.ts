import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { findingsOf } from "../../core/finding.js";
import { amountText, type Weight, type WeightOptions } from "../../history/columns/weights.js";
import { isHistory } from "../../history/is-history.js";
import { chartGrid } from "../../history/order/chart-date.js";
import { inCourse, valueOrder } from "../../history/order/value-order.js";
import type { Grid } from "../../history/time/date-grid.js";
import type { TimePoint } from "../../history/time/valid-time.js";
import type { History, Layer } from "../../layer/layer.js";
import { MOST_DATES, requireDrawable } from "../values/require-drawable.js";
import { requireAnswered, tableRows } from "../values/table-rows.js";
import { datedCounts, historyOf, withOptions } from "../values/value-order.js";

/** How many features, or how much, have each value at each date; every date has every value. */
export interface CountsOverTime {
  /** What is counted: `features`, or the unit of the weights. */
  readonly unit: string;
  /** What to know of the weights, as texts say it. */
  readonly notes: readonly string[];
  readonly dates: readonly Date[];
  /** In the order of the column: all that a history ever had, whatever the dates. */
  readonly values: readonly string[];
  /** The same, with the choices that nobody made; they give the colours. */
  readonly places: readonly string[];
  /** Whether they are the steps of a process. */
  readonly isProcess: boolean;
  count(date: Date, value: string): number;
  /** All features at a date. */
  total(date: Date): number;
}

const hint =
  "Give a history (`await layer.history()`), or a table with a column `date`, as `history.counts()` and `history.panel()` make them.";

/**
 * Counts the values of a column by date: of a history, or of a table with a column `date` whose rows stand for one
 * feature each, or for `count` features. With a weight they are quantities, of a table those in the column of that name.
 */
export function countsOverTime(
  data: History | Layer | ColumnTable,
  column: string,
  dates?: Grid,
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
    const own = counts.get(time) ?? new Map<string, number>();
    own.set(label, (own.get(label) ?? 0) + count);
    counts.set(time, own);
  }
  const history = historyOf(data, column);
  requireDrawable(counts.size, "dates", MOST_DATES);
  const times = [...counts.keys()].sort((a, b) => a - b);
  // Where values stand in an order their numbers of features tell, whatever those weigh.
  const inOrder = ofHistory && !dates && weight === undefined ? dated : undefined;
  const found = ofHistory && weight !== undefined ? findingsOf(table) : [];
  return {
    unit: weight === undefined ? "features" : (askedUnit ?? unitOf(table, amountColumn)),
    notes: found.filter(({ code }) => code.endsWith("-weight")).map(({ message }) => message),
    dates: times.map((time) => new Date(time)),
    ...(history ? valueOrder(history, column, inOrder) : withOptions(data, column, inCourse(dated, []))),
    count: (date, value) => counts.get(date.getTime())?.get(value) ?? 0,
    total: (date) => [...(counts.get(date.getTime())?.values() ?? [])].reduce((sum, count) => sum + count, 0),
  };
}

/** @throws ArgumentError for a function, since rows of a table are no features */
function amountOf(weight: Weight): string {
  if (typeof weight === "string") return weight;
  throw new ArgumentError("A function weighs the features of a history, and this is a table.", {
    hint: "Give the history itself (`await layer.history()`), or the name of the table's column of quantities.",
  });
}

/** The unit in which a table's quantities are: as it says itself, else that of the layer's column, else the column's name. */
function unitOf(table: Layer | ColumnTable, amountColumn: string): string {
  const rows = tableRows(table, hint);
  const unit = rows.has("unit") && rows.count > 0 ? rows.column("unit")(0) : undefined;
  return typeof unit === "string" ? unit : (rows.unit(amountColumn) ?? amountColumn);
}

/** What the values that features have at a date have earned. */
export function earnedOf(counts: CountsOverTime, date: Date, share: (label: string) => number): number {
  return counts.values.reduce((sum, label) => sum + counts.count(date, label) * share(label), 0);
}

/** An amount in a figure: features as they are, quantities in as many digits as can be told apart. */
export function shownAmount(amount: number, { unit }: Pick<CountsOverTime, "unit">): string {
  return unit === "features" ? String(amount) : amountText(amount);
}

/**
 * @throws ArgumentError for a day of a report and a table, which has the dates that it has, for a promise, and for questions
 * that an engine answers
 */
export function requireHistory(call: string, data: unknown, until: TimePoint | undefined): void {
  requireAnswered(data, hint);
  if (until === undefined || isHistory(data)) return;
  throw new ArgumentError(`${call}: the option until needs a history; a table has the dates that it has.`, {
    hint: "Give the history itself (`await layer.history()`), or filter the table by its column date.",
  });
}

function hasColumn(table: Layer | ColumnTable, name: string): boolean {
  return tableRows(table, hint).has(name);
}
