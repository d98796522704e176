import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { History as HistoryOf } from "../../history/history.js";
import type { Grid } from "../../history/time/date-grid.js";
import type { TimePoint } from "../../history/time/valid-time.js";
import type { History, Layer } from "../../layer/layer.js";
import { chartGrid } from "../values/chart-date.js";
import { tableRows } from "../values/table-rows.js";
import { datedCounts, historyOf, inCourse, valueOrder, withOptions } from "../values/value-order.js";

/** How many features have each value at each date; every date has every value. */
export interface CountsOverTime {
  readonly dates: readonly Date[];
  /** In the order of the column: all that a history ever had, whatever the dates. */
  readonly values: readonly string[];
  /** The same, with the choices that nobody made; they give the colours. */
  readonly places: readonly string[];
  count(date: Date, value: string): number;
  /** All features at a date. */
  total(date: Date): number;
}

const hint =
  "Give a history (`await layer.history()`), or a table with a column `date`, as `history.counts()` and `history.panel()` make them.";

/**
 * Counts the values of a column by date: of a history, or of a table with a column `date` whose rows stand for one
 * feature each, or for `count` features.
 */
export function countsOverTime(
  data: History | Layer | ColumnTable,
  column: string,
  dates?: Grid,
  until?: TimePoint,
): CountsOverTime {
  const isHistory = data instanceof HistoryOf;
  const table = isHistory ? data.counts(column, chartGrid(data, dates, until)) : data;
  const valueColumn = isHistory || (!hasColumn(table, column) && hasColumn(table, "value")) ? "value" : column;
  const dated = datedCounts(table, valueColumn, hint);
  const counts = new Map<number, Map<string, number>>();
  for (const { time, label, count } of dated) {
    const own = counts.get(time) ?? new Map<string, number>();
    own.set(label, (own.get(label) ?? 0) + count);
    counts.set(time, own);
  }
  const history = historyOf(data, column);
  const times = [...counts.keys()].sort((a, b) => a - b);
  return {
    dates: times.map((time) => new Date(time)),
    ...(history
      ? valueOrder(history, column, isHistory && !dates ? dated : undefined)
      : withOptions(data, column, inCourse(dated, []))),
    count: (date, value) => counts.get(date.getTime())?.get(value) ?? 0,
    total: (date) => [...(counts.get(date.getTime())?.values() ?? [])].reduce((sum, count) => sum + count, 0),
  };
}

/**
 * @throws ArgumentError for a day of a report and a table, which has the dates that it has
 */
export function requireHistory(call: string, data: unknown, until: TimePoint | undefined): void {
  if (until === undefined || data instanceof HistoryOf) return;
  throw new ArgumentError(`${call}: the option until needs a history; a table has the dates that it has.`, {
    hint: "Give the history itself (`await layer.history()`), or filter the table by its column date.",
  });
}

function hasColumn(table: Layer | ColumnTable, name: string): boolean {
  return tableRows(table, hint).has(name);
}
