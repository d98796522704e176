import type { ColumnTable } from "arquero";
import { toTable } from "../../columns/column/table.js";
import { checkOptions } from "../../core/check-options.js";
import { ArgumentError } from "../../core/errors.js";
import { canonicalJson } from "../../core/json.js";
import { showValue } from "../../core/show-value.js";
import type { HistoryData } from "../cell/history-data.js";
import { appearances } from "../cell/present-rows.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { compareValues } from "../columns/compare-values.js";
import { declaredDates } from "../columns/declared-values.js";
import { type CellContent, cellCoding } from "../grid/cell-coding.js";
import { DateSums } from "../grid/date-sums.js";
import { DateTally } from "../grid/date-tally.js";
import { groupCodes } from "../grid/group-codes.js";
import { groupColumn } from "../grid/group-column.js";
import { PairCodes } from "../grid/pair-codes.js";
import { sweepDates } from "../grid/sweep-dates.js";
import { timelines } from "../grid/timelines.js";
import { type DateGrid, type Grid, resolveGrid } from "../time/date-grid.js";
import { type GroupOptions, groupRules } from "./counts.js";

const ownColumns = ["date", "sum", "count", "unknown"];

/** Sum of the numbers that the features present at each date hold; a row a date, and with `by` a group present then. */
export function totals(data: HistoryData, name: string, grid: Grid, options: GroupOptions = {}): ColumnTable {
  checkOptions("totals()", options, groupRules);
  const { by } = options;
  const column = chooseColumn(data.names, name);
  const dates = resolveGrid(grid, data.timeZone);
  return totalsTable(dates, by, sumGroups(data, column, by, dates.sortedUs));
}

/** What the features of groups come to at dates: by code of the group and place of the date, in order of time. */
export interface GroupSums {
  readonly groups: readonly unknown[];
  present(group: number, date: number): number;
  sum(group: number, date: number): number;
  count(group: number, date: number): number;
  unknown(group: number, date: number): number;
}

/** A row for each date, as asked for, and with `by` for each group that has features then. */
export function totalsTable({ dates, rank }: DateGrid, by: string | undefined, at: GroupSums): ColumnTable {
  const ordered = at.groups.map((group, code) => ({ group, code })).sort((a, b) => compareValues(a.group, b.group));
  const rows = dates.flatMap((date, asked) => {
    const day = rank[asked] ?? 0;
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

function requireNumbers(column: string | undefined, entries: readonly CellContent[]): void {
  const values = entries.flatMap(({ value }) => (value === null || value === undefined ? [] : [value]));
  if (values.length === 0 || values.some((value) => typeof value === "number")) return;
  throw noNumbers(column, values[0]);
}

/** A sum over texts would be 0, and read as one. */
export function noNumbers(column: string | undefined, value: unknown): ArgumentError {
  return new ArgumentError(
    `totals() adds up numbers, and ${showValue(column)} has none: it holds ${showValue(inOrder(value))}.`,
    {
      hint: `counts(${showValue(column)}, …) tells how many features say what.`,
      facts: { column },
    },
  );
}

/** The groups that there are, and what the features of each come to at each date. */
function sumGroups(data: HistoryData, column: number, by: string | undefined, datesUs: Float64Array): GroupSums {
  const coding = cellCoding(data, column);
  requireNumbers(data.names[column], coding.entries);
  const groups = groupCodes(data, by, datesUs);
  const sums = new DateSums(groups.count, datesUs.length);
  const [present, counted, unknown] = [
    new DateTally(datesUs.length),
    new DateTally(datesUs.length),
    new DateTally(datesUs.length),
  ];
  const kinds = new PairCodes(groups.count, coding.count);
  const add = (kind: number, date: number, step: number) => {
    const group = kinds.first(kind);
    const said = coding.entries[kinds.second(kind)];
    present.add(group, date, step);
    if (said?.state === "unknown") unknown.add(group, date, step);
    if (typeof said?.value !== "number") return;
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
  };
}

/** A value with its members in one order: equal values may come with another. */
function inOrder(value: unknown): unknown {
  return JSON.parse(canonicalJson(value));
}
