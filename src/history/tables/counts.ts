import type { ColumnTable } from "arquero";
import { checkOptions, type OptionRules, text } from "../../core/options.js";
import { toTable } from "../../tables/column/table.js";
import { datesBeyondReading, type FoundTable } from "../cell/beyond-reading.js";
import type { CellState } from "../cell/cell-state.js";
import type { HistoryData } from "../cell/history-data.js";
import { appearances } from "../cell/present-rows.js";
import { declaredDates } from "../columns/block-column.js";
import { chooseColumn } from "../columns/choose-columns.js";
import { compareValues } from "../columns/step-order.js";
import { DateTally } from "../grid/date-sums.js";
import { groupCodes, groupColumn, PairCodes } from "../grid/group-codes.js";
import { sweepDates } from "../grid/sweep-dates.js";
import { type CellContent, cellCoding, timelines } from "../grid/timelines.js";
import { type DateGrid, type Grid, resolveGrid } from "../time/date-grid.js";
import type { TimePoint } from "../time/valid-time.js";

/** Options of `history.counts()` and `history.totals()`. */
export interface GroupOptions {
  /** A base field or a property to group by, taken as of the same date. */
  readonly by?: string;
}

/** What both take. */
export const groupRules: OptionRules<GroupOptions> = {
  by: text,
};

const ownColumns = ["date", "state", "value", "count"];

/** How many of the features present at each date say what, one row where there are any; and dates after the log was read. */
export function counts(data: HistoryData, name: string, grid: Grid, options: GroupOptions = {}): FoundTable {
  checkOptions("counts()", options, groupRules);
  const { by } = options;
  const column = chooseColumn(data.names, name);
  const dates = resolveGrid(grid, data.timeZone);
  return {
    table: countsTable(dates, by, countKinds(data, column, by, dates.sortedUs)),
    findings: datesBeyondReading(data, dates),
  };
}

/** What features say at dates, and how many of them do. */
export interface CountedKinds {
  readonly kinds: readonly Kind[];
  /** By code of a kind and place of a date, in order of time. */
  readonly countAt: (code: number, date: number) => number;
}

/** A row for each date, as asked for, and each kind that features are of then. */
export function countsTable(
  { dates, rank }: DateGrid,
  by: string | undefined,
  { kinds: unordered, countAt }: CountedKinds,
): ColumnTable {
  const kinds = [...unordered].sort(compareKinds);
  const [rowDates, rowKinds, rowCounts]: [TimePoint[], Kind[], number[]] = [[], [], []];
  dates.forEach((date, asked) => {
    for (const kind of kinds) {
      const count = countAt(kind.code, rank[asked] as number);
      if (count === 0) continue;
      rowDates.push(date);
      rowKinds.push(kind);
      rowCounts.push(count);
    }
  });
  return toTable([
    ["date", declaredDates(dates, rowDates)],
    ...groupColumn(by, ownColumns, rowKinds, ({ group }) => group),
    ["state", rowKinds.map(({ state }) => state)],
    ["value", rowKinds.map(({ value }) => value)],
    ["count", rowCounts],
  ]);
}

/** What features of a group say. */
export interface Kind extends CellContent {
  readonly code: number;
  readonly group: unknown;
}

/** What features say at the dates, group by group, and how many do. */
function countKinds(data: HistoryData, column: number, by: string | undefined, datesUs: Float64Array): CountedKinds {
  const coding = cellCoding(data, column);
  const groups = groupCodes(data, by, datesUs);
  const codes = new PairCodes(groups.count, coding.count);
  const tally = new DateTally(datesUs.length);
  sweepDates(appearances(data, datesUs), groups, timelines(data, column, datesUs, coding), codes, tally);
  const kinds = codes.pairs.flatMap(([group, outcome], code): Kind[] => {
    const entry = coding.entries[outcome];
    return entry ? [{ ...entry, code, group: groups.values[group] }] : [];
  });
  return { kinds, countAt: tally.sum() };
}

const stateOrder: readonly CellState[] = ["logged", "cleared", "unchanged", "unknown"];

function compareKinds(a: Kind, b: Kind): number {
  return (
    compareValues(a.group, b.group) ||
    stateOrder.indexOf(a.state) - stateOrder.indexOf(b.state) ||
    compareValues(a.value, b.value)
  );
}
