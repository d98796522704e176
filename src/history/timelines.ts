import type { Codes } from "./change-log.js";
import type { DateLocator } from "./date-locator.js";
import type { HistoryData } from "./history-data.js";

/** What the cells of a column say, as codes that someone has use for. */
export interface CellCoding {
  /** Code by value code of the log, for cells that a change decides. */
  readonly ofValue: Int32Array;
  /** Code by row, for cells before their first change. */
  readonly before: Int32Array;
  /** Codes are below this. */
  readonly count: number;
}

/** What the cells of a column say from which date on, in the order of features, then of time. */
export interface Timelines extends CellCoding {
  /** Row `r` owns the changes `ends[r] … ends[r + 1]`, less `ends[0]`. */
  readonly ends: Int32Array;
  /** Value code of each change. */
  readonly valueCodes: Codes;
  /** First date that sees each change; the number of dates if there is none. */
  readonly changedAt: Int32Array;
}

/** The timelines of a column over some dates. */
export function timelines(data: HistoryData, column: number, dates: DateLocator, coding: CellCoding): Timelines {
  const { index } = data;
  const first = index.cell(0, column);
  const [start, end] = [index.start(first), index.start(index.cell(0, column + 1))];
  return {
    ...coding,
    ends: index.offsets.subarray(first, first + index.rowCount + 1),
    valueCodes: index.valueCodes.subarray(start, end),
    changedAt: dates.locateAll(index.timesUs.subarray(start, end)),
  };
}

/** Timelines without a change. */
export function constantTimelines(before: Int32Array, count: number): Timelines {
  const none = new Int32Array(0);
  return {
    ofValue: none,
    before,
    count,
    ends: new Int32Array(before.length + 1),
    valueCodes: none,
    changedAt: none,
  };
}
