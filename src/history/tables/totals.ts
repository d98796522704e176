import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { canonicalJson } from "../../core/json.js";
import { checkOptions } from "../../core/options.js";
import { showValue } from "../../core/show-value.js";
import type { NamedColumn } from "../../layer/name-columns.js";
import { toTable } from "../../tables/column/table.js";
import { datesBeyondReading, type FoundTable } from "../cell/beyond-reading.js";
import type { HistoryData } from "../cell/history-data.js";
import { appearances } from "../cell/present-rows.js";
import { declaredDates } from "../columns/block-column.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { compareValues } from "../columns/step-order.js";
import { leftOutFinding, type Summands, summandsOf } from "../columns/summands.js";
import { DateSums, DateTally } from "../grid/date-sums.js";
import { groupCodes, groupColumn, PairCodes } from "../grid/group-codes.js";
import { sweepDates } from "../grid/sweep-dates.js";
import { type CellContent, cellCoding, timelines } from "../grid/timelines.js";
import { type DateGrid, type Grid, resolveGrid } from "../time/date-grid.js";
import { type GroupOptions, groupRules } from "./counts.js";

const ownColumns = ["date", "sum", "count", "unknown"];

/**
 * Sum of the numbers that the features present at each date hold; a row a date, and with `by` a group present then.
 * Numbers are what exports have as numbers: a fraction among INTEGERs is none.
 */
export function totals(data: HistoryData, name: string, grid: Grid, options: GroupOptions = {}): FoundTable {
  checkOptions("totals()", options, groupRules);
  const { by } = options;
  const column = chooseColumn(data.names, name);
  const dates = resolveGrid(grid, data.timeZone);
  const sums = sumGroups(data, column, by, dates.sortedUs);
  return {
    table: totalsTable(dates, by, sums),
    findings: [...datesBeyondReading(data, dates), ...leftOut(data.columns[column], dates, sums)],
  };
}

/** What to know of the values that sums leave out. */
export function leftOut(column: NamedColumn | undefined, { rank }: DateGrid, sums: GroupSums): readonly Finding[] {
  const counts = [...rank].map((day) => sums.groups.reduce<number>((all, _, code) => all + sums.leftOut(code, day), 0));
  const all = counts.reduce((sum, count) => sum + count, 0);
  return leftOutFinding(column, summandsOf(column), all, counts.filter((count) => count > 0).length);
}

/** What the features of groups come to at dates: by code of the group and place of the date, in order of time. */
export interface GroupSums {
  readonly groups: readonly unknown[];
  present(group: number, date: number): number;
  sum(group: number, date: number): number;
  count(group: number, date: number): number;
  unknown(group: number, date: number): number;
  /** Values that are not of the type of the column's definition. */
  leftOut(group: number, date: number): number;
}

/** A row for each date, as asked for, and with `by` for each group that has features then. */
export function totalsTable({ dates, rank }: DateGrid, by: string | undefined, at: GroupSums): ColumnTable {
  const ordered = at.groups.map((group, code) => ({ group, code })).sort((a, b) => compareValues(a.group, b.group));
  const rows = dates.flatMap((date, asked) => {
    const day = rank[asked] as number;
    return ordered
      .filter(({ code }) => by === undefined || at.present(code, day) > 0)
      .map(({ group, code }) => ({ date, group, code, day }));
  });
  return toTable([
    [
      "date",
      declaredDates(
        dates,
        rows.map(({ date }) => date),
      ),
    ],
    ...groupColumn(by, ownColumns, rows, ({ group }) => group),
    // What was added and taken away again may leave a rounding error.
    ["sum", rows.map(({ code, day }) => (at.count(code, day) === 0 ? 0 : at.sum(code, day)))],
    ["count", rows.map(({ code, day }) => at.count(code, day))],
    ["unknown", rows.map(({ code, day }) => at.unknown(code, day))],
  ]);
}

function requireNumbers(column: string | undefined, summands: Summands, entries: readonly CellContent[]): void {
  const values = entries.flatMap(({ value }) => (isNone(value) ? [] : [value]));
  if (values.length === 0 || (summands.canBe && values.some((value) => typeof value === "number"))) return;
  throw noNumbers(column, summands, values[0]);
}

/** A sum over texts would be 0, and read as one. */
export function noNumbers(column: string | undefined, { canBe, type }: Summands, value: unknown): ArgumentError {
  const what = canBe ? `it holds ${showValue(inOrder(value))}` : `its definition's type is ${type}`;
  return new ArgumentError(`totals() adds up numbers, and ${showValue(column)} has none: ${what}.`, {
    hint: `counts(${showValue(column)}, …) tells how many features say what.`,
    facts: { column },
  });
}

/** The groups that there are, and what the features of each come to at each date. */
function sumGroups(data: HistoryData, column: number, by: string | undefined, datesUs: Float64Array): GroupSums {
  const coding = cellCoding(data, column);
  const summands = summandsOf(data.columns[column]);
  requireNumbers(data.names[column], summands, coding.entries);
  const groups = groupCodes(data, by, datesUs);
  const sums = new DateSums(groups.count, datesUs.length);
  const tally = () => new DateTally(datesUs.length);
  const [present, counted, unknown, leftOut] = [tally(), tally(), tally(), tally()];
  const kinds = new PairCodes(groups.count, coding.count);
  const add = (kind: number, date: number, step: number) => {
    const group = kinds.first(kind);
    const said = coding.entries[kinds.second(kind)];
    present.add(group, date, step);
    if (said?.state === "unknown") unknown.add(group, date, step);
    if (!summands.includes(said?.value)) {
      if (summands.areTyped && !isNone(said?.value)) leftOut.add(group, date, step);
      return;
    }
    counted.add(group, date, step);
    sums.add(group, date, step * said.value);
  };
  sweepDates(appearances(data, datesUs), groups, timelines(data, column, datesUs, coding), kinds, {
    appear: (kind, date) => add(kind, date, 1),
    change: (before, now, date) => {
      add(before, date, -1);
      add(now, date, 1);
    },
  });
  return {
    groups: groups.values,
    present: present.sum(),
    sum: sums.sum(),
    count: counted.sum(),
    unknown: unknown.sum(),
    leftOut: leftOut.sum(),
  };
}

function isNone(value: unknown): boolean {
  return value === null || value === undefined;
}

/** A value with its members in one order: equal values may come with another. */
function inOrder(value: unknown): unknown {
  return JSON.parse(canonicalJson(value));
}
