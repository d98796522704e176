import { ABSENT, UNKNOWN } from "../cell/cell-state.js";
import { undecided } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { type Codes, codeArray } from "../log/change-log.js";
import { type DecidedCells, REASONS } from "./decided-cells.js";
import type { JoinedRows } from "./joined-rows.js";
import { placeAfter } from "./place-after.js";
import type { RowsByFeature } from "./rows-by-feature.js";
import { sweepCells } from "./sweep-cells.js";

/** What decides cells, besides the index. */
export interface DecidedRows {
  readonly rows: JoinedRows;
  /** The rows by feature; called where they are walked through so. */
  readonly byFeature: () => RowsByFeature;
  /** Whether the times of the changes are wanted. */
  readonly withTimes: boolean;
}

/** So many changes of a column, and features, are walked through in the time in which one cell is searched. */
const WALKED = 2;

/**
 * What decides the cells of one column: where a table is in order of time, one walk through the column's changes, else a
 * search for each cell, feature by feature.
 */
export function decideCells(
  data: HistoryData,
  column: number,
  { rows, byFeature, withTimes }: DecidedRows,
): DecidedCells {
  const codes = codeArray(data.log.values.length + REASONS, rows.length).fill(UNKNOWN + REASONS);
  const changedUs = withTimes ? new Float64Array(rows.length).fill(Number.NaN) : undefined;
  const cells = { codes, changedUs };
  const walked = data.index.changesOf(column).length + data.features.count;
  if (rows.times.ascend && !rows.known && rows.length * WALKED >= walked) sweepCells(data, column, rows, cells);
  else searchCells(data, column, byFeature(), cells);
  if (rows.absent) markAbsent(codes, rows.absent);
  return cells;
}

/** One pass over the column's part of the index, feature by feature. */
function searchCells(
  data: HistoryData,
  column: number,
  { length, features, us, known, rows }: RowsByFeature,
  { codes, changedUs }: DecidedCells,
): void {
  const { index } = data;
  const { offsets, timesUs, valueCodes, order } = index;
  const first = column * index.rowCount;
  for (let place = 0; place < length; place += 1) {
    const cell = first + (features[place] ?? 0);
    const start = offsets[cell] ?? 0;
    const end = offsets[cell + 1] ?? 0;
    const row = rows[place] ?? 0;
    if (start === end) {
      codes[row] = undecided(data, cell) + REASONS;
      continue;
    }
    let after = placeAfter(timesUs, start, end, us[place] ?? 0);
    if (known) after = knownEnd(order, start, after, known[place] ?? 0);
    // A mask in place of a branch that is taken by chance.
    const isDecided = (start - after) >> 31;
    const code = ((valueCodes[after + isDecided] ?? 0) - UNKNOWN) & isDecided;
    codes[row] = code + UNKNOWN + REASONS;
    if (changedUs && after > start) changedUs[row] = timesUs[after - 1] ?? 0;
  }
}

/** Where no change decides, and the feature did not exist. */
function markAbsent(codes: Codes, absent: Uint8Array): void {
  for (let row = 0; row < codes.length; row += 1) {
    if (absent[row] === 1 && (codes[row] ?? 0) < REASONS) codes[row] = ABSENT + REASONS;
  }
}

/** The place after the last of some changes that is among the first of the log. */
function knownEnd(order: Int32Array, start: number, end: number, known: number): number {
  let last = end;
  while (last > start && (order[last - 1] ?? 0) >= known) last -= 1;
  return last;
}
