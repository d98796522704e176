import { type Codes, codeArray } from "./change-log.js";
import type { Timelines } from "./timelines.js";

/**
 * Changes of a column under the first date that sees each, in order of features, then of time: the last entry of a
 * feature under a date is what the date sees.
 */
export interface ChangesByDate {
  /** Date `d` owns the entries `starts[d] … starts[d + 1]`. */
  readonly starts: Int32Array;
  /** Row of each entry's feature. */
  readonly rows: Int32Array;
  readonly codes: Codes;
}

/** Counting sort by date, which is stable. */
export function changesByDate(cells: Timelines, dateCount: number): ChangesByDate {
  const starts = startsOf(cells.changedAt, dateCount);
  const rows = new Int32Array(cells.changedAt.length);
  const codes = codeArray(cells.count, rows.length);
  place(cells, starts.slice(), rows, codes);
  return { starts, rows, codes };
}

function startsOf(changedAt: Int32Array, dateCount: number): Int32Array {
  const starts = new Int32Array(dateCount + 2);
  for (let change = 0; change < changedAt.length; change += 1) {
    const date = changedAt[change] ?? 0;
    starts[date + 1] = (starts[date + 1] ?? 0) + 1;
  }
  for (let date = 1; date < starts.length; date += 1) {
    starts[date] = (starts[date] ?? 0) + (starts[date - 1] ?? 0);
  }
  return starts;
}

/** @param next where the next entry of each date goes */
function place(cells: Timelines, next: Int32Array, rows: Int32Array, codes: Codes): void {
  const { ends, changedAt, valueCodes, ofValue } = cells;
  let change = 0;
  for (let row = 0; row < ends.length - 1; row += 1) {
    const end = (ends[row + 1] ?? 0) - (ends[0] ?? 0);
    for (; change < end; change += 1) {
      const date = changedAt[change] ?? 0;
      const entry = next[date] ?? 0;
      next[date] = entry + 1;
      rows[entry] = row;
      codes[entry] = ofValue[valueCodes[change] ?? 0] ?? 0;
    }
  }
}
