import type { ColumnTable } from "arquero";
import { History } from "../../history/history.js";
import type { Grid } from "../../history/time/date-grid.js";
import type { Layer } from "../../layer/layer.js";
import { chartDate } from "../values/chart-date.js";
import { chartGrid } from "../values/chart-grid.js";
import { tableRows } from "../values/table-rows.js";
import { valueLabel } from "../values/value-label.js";
import { processPlaces } from "./process-places.js";

/** How many features have each value at each date; every date has every value. */
export interface CountsOverTime {
  readonly dates: readonly Date[];
  /** In the order in which the values come up in the course of time. */
  readonly values: readonly string[];
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
export function countsOverTime(data: History | Layer | ColumnTable, column: string, dates?: Grid): CountsOverTime {
  const isHistory = data instanceof History;
  const table = isHistory ? data.counts(column, chartGrid(data, dates)) : data;
  const rows = tableRows(table, hint);
  const dateAt = rows.column("date");
  const valueAt = rows.column(isHistory || (!rows.has(column) && rows.has("value")) ? "value" : column);
  const stateAt = rows.has("state") ? rows.column("state") : () => undefined;
  const countAt = rows.has("count") ? rows.column("count") : () => 1;

  const counts = new Map<number, Map<string, number>>();
  for (let row = 0; row < rows.count; row += 1) {
    const time = chartDate(dateAt(row)).getTime();
    const label = valueLabel(valueAt(row), stateAt(row));
    const own = counts.get(time) ?? new Map<string, number>();
    own.set(label, (own.get(label) ?? 0) + Number(countAt(row)));
    counts.set(time, own);
  }
  const times = [...counts.keys()].sort((a, b) => a - b);
  return {
    dates: times.map((time) => new Date(time)),
    values: inCourse(times, counts, isHistory ? courseOf(data, column) : new Map()),
    count: (date, value) => counts.get(date.getTime())?.get(value) ?? 0,
    total: (date) => [...(counts.get(date.getTime())?.values() ?? [])].reduce((sum, count) => sum + count, 0),
  };
}

/** Where each value stands in the course of a process, of those that a feature ever left or reached. */
export function courseOf(history: History, column: string): ReadonlyMap<string, number> {
  const rows = tableRows(history.transitions(column), hint);
  const [fromAt, toAt, countAt] = [rows.column("from"), rows.column("to"), rows.column("count")];
  const flows = Array.from({ length: rows.count }, (_, row) => ({
    from: valueLabel(fromAt(row)),
    to: valueLabel(toAt(row)),
    count: Number(countAt(row)),
  }));
  return processPlaces(flows);
}

/** By place in the process, then by the mean time at which features have a value. */
function inCourse(
  times: readonly number[],
  counts: ReadonlyMap<number, ReadonlyMap<string, number>>,
  places: ReadonlyMap<string, number>,
): string[] {
  const weights = new Map<string, { count: number; moment: number }>();
  for (const [index, time] of times.entries()) {
    for (const [value, count] of counts.get(time) ?? []) {
      const weight = weights.get(value) ?? { count: 0, moment: 0 };
      weights.set(value, { count: weight.count + count, moment: weight.moment + count * index });
    }
  }
  const mean = ({ count, moment }: { count: number; moment: number }) => (count === 0 ? 0 : moment / count);
  return [...weights]
    .sort(
      ([a, left], [b, right]) =>
        (places.get(b) ?? 0) - (places.get(a) ?? 0) || mean(left) - mean(right) || (a < b ? -1 : 1),
    )
    .map(([value]) => value);
}
