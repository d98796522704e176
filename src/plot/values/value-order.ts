import type { History } from "../../history/history.js";
import { chartDate } from "./chart-date.js";
import { chartGrid } from "./chart-grid.js";
import { type Flow, processPlaces } from "./process-places.js";
import { tableRows } from "./table-rows.js";
import { valueLabel } from "./value-label.js";

/** Features that have a value at a date, by the value's label. */
export interface DatedCount {
  readonly time: number;
  readonly label: string;
  readonly count: number;
}

/**
 * Labels of all values that a history's column ever had, in the course of its process. It is a fact of the whole log:
 * figures of any part of it have one order, and one colour for each value.
 *
 * @param counts on the dates of the whole log, where they are known already
 */
export function valueOrder(
  history: History,
  column: string,
  counts: readonly DatedCount[] = datedCounts(history.counts(column, chartGrid(history, undefined))),
): readonly string[] {
  return inCourse(counts, flowsOf(history, column));
}

/** The rows of `counts()`, or of a table with `date` and one row a feature. */
export function datedCounts(
  table: Parameters<typeof tableRows>[0],
  valueColumn = "value",
  hint = "",
): readonly DatedCount[] {
  const rows = tableRows(table, hint);
  const [dateAt, valueAt] = [rows.column("date"), rows.column(valueColumn)];
  const stateAt = rows.has("state") ? rows.column("state") : () => undefined;
  const countAt = rows.has("count") ? rows.column("count") : () => 1;
  return Array.from({ length: rows.count }, (_, row) => ({
    time: chartDate(dateAt(row)).getTime(),
    label: valueLabel(valueAt(row), stateAt(row)),
    count: Number(countAt(row)),
  }));
}

/**
 * Labels in an order against which the log does not go more often than with it; where that leaves a choice, by place in
 * the process, then by the mean date at which features have a value.
 */
export function inCourse(counts: readonly DatedCount[], flows: readonly Flow[]): readonly string[] {
  const places = processPlaces(flows);
  const moments = meanMoments(counts);
  // What was held between two dates only is in the log alone.
  const all = new Set([...moments.keys(), ...places.keys()]);
  const sorted = [...all].sort(
    (a, b) =>
      (places.get(b) ?? 0) - (places.get(a) ?? 0) || (moments.get(a) ?? 0) - (moments.get(b) ?? 0) || (a < b ? -1 : 1),
  );
  const before = predecessors(flows);
  const left = new Set(sorted);
  const isFree = (label: string) => !before.get(label)?.some((other) => left.has(other));
  const ordered: string[] = [];
  while (left.size > 0) {
    // Values that go round in a circle begin with the first of them.
    const next = firstOf(left, isFree) ?? firstOf(left, () => true) ?? "";
    left.delete(next);
    ordered.push(next);
  }
  return ordered;
}

function firstOf(labels: ReadonlySet<string>, test: (label: string) => boolean): string | undefined {
  for (const label of labels) if (test(label)) return label;
  return undefined;
}

/** The labels that each comes from more often than it goes there. */
function predecessors(flows: readonly Flow[]): ReadonlyMap<string, readonly string[]> {
  const countOf = new Map(flows.map(({ from, to, count }) => [JSON.stringify([from, to]), count]));
  const before = new Map<string, string[]>();
  for (const { from, to, count } of flows) {
    if (from === to || count <= (countOf.get(JSON.stringify([to, from])) ?? 0)) continue;
    before.set(to, [...(before.get(to) ?? []), from]);
  }
  return before;
}

function meanMoments(counts: readonly DatedCount[]): ReadonlyMap<string, number> {
  const sums = new Map<string, { count: number; moment: number }>();
  const [first] = counts;
  for (const { time, label, count } of counts) {
    const sum = sums.get(label) ?? { count: 0, moment: 0 };
    // From the first date on: products stay exact.
    sums.set(label, { count: sum.count + count, moment: sum.moment + count * (time - (first?.time ?? 0)) });
  }
  return new Map([...sums].map(([label, { count, moment }]) => [label, count === 0 ? 0 : moment / count]));
}

/** How often one value followed another in the whole log. */
function flowsOf(history: History, column: string): readonly Flow[] {
  const rows = tableRows(history.transitions(column), "");
  const [fromAt, toAt, countAt] = [rows.column("from"), rows.column("to"), rows.column("count")];
  return Array.from({ length: rows.count }, (_, row) => ({
    from: valueLabel(fromAt(row)),
    to: valueLabel(toAt(row)),
    count: Number(countAt(row)),
  }));
}
