import { firstIndex } from "../../core/first-index.js";
import type { HistoryData } from "../cell/history-data.js";
import { type Codes, codeArray } from "../log/change-log.js";

/** What the cells of a column say, as codes that someone has use for. */
export interface CellCoding {
  /** Code by value code of the log, for cells that a change decides. */
  readonly ofValue: Int32Array;
  /** Code by row, for cells before their first change. */
  readonly before: Int32Array;
  /** Codes are below this. */
  readonly count: number;
}

/** What the cells of a column say as time goes by: what `before` says, until a change says something else. */
export interface Timelines {
  /** Code by row, for cells before their first change. */
  readonly before: Int32Array;
  /** Codes are below this. */
  readonly count: number;
  /** How many of the changes each date sees. */
  readonly seen: Int32Array;
  /** Row of the feature of each change that a date sees, in valid order. */
  readonly rows: Int32Array;
  /** Code that it changes to. */
  readonly codes: Codes;
}

/**
 * The timelines of a column over some dates.
 *
 * @param datesUs ascending
 */
export function timelines(
  { index, log }: HistoryData,
  column: number,
  datesUs: Float64Array,
  { before, count, ofValue }: CellCoding,
): Timelines {
  const changes = index.changesOf(column);
  const seenAt = (us: number) =>
    firstIndex(changes.length, (place) => (log.timesUs[changes[place] as number] as number) <= us);
  const seen = Int32Array.from(datesUs, seenAt);
  // Reading the log takes longer than all that is done with it: a loop that does nothing else waits the least.
  const length = seen.at(-1) ?? 0;
  const [rows, codes] = [new Int32Array(length), codeArray(count, length)];
  for (let place = 0; place < length; place += 1) {
    const change = changes[place] as number;
    rows[place] = log.rows[change] as number;
    codes[place] = ofValue[log.valueCodes[change] as number] as number;
  }
  return { before, count, seen, rows, codes };
}

/** Timelines without a change. */
export function constantTimelines(before: Int32Array, count: number, dateCount: number): Timelines {
  return { before, count, seen: new Int32Array(dateCount), rows: new Int32Array(0), codes: codeArray(count, 0) };
}
