import { ABSENT, UNKNOWN } from "../cell/cell-state.js";
import { undecided } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { type Codes, codeArray } from "../log/change-log.js";
import type { RowsByFeature } from "./rows-by-feature.js";

/** Codes stand so much higher than in the log's dictionary: below are the reasons why no change decides a cell. */
export const REASONS = 3;

/** What a column's cells say. */
export interface DecidedCells {
  /** By row of the table: the code of a value, or `UNKNOWN`, `UNCHANGED`, `ABSENT`, each `REASONS` higher. */
  readonly codes: Codes;
  /** When the changes that decide were made, microseconds since 1970; NaN where none does. */
  readonly changedUs: Float64Array | undefined;
}

/** What decides cells, besides the index. */
export interface DecidedRows {
  /** How many the table has. */
  readonly length: number;
  readonly ordered: RowsByFeature;
  readonly absent: Uint8Array | undefined;
  /** Whether the times of the changes are wanted. */
  readonly withTimes: boolean;
}

/** What decides the cells of one column: one pass over the column's part of the index, feature by feature. */
export function decideCells(
  data: HistoryData,
  column: number,
  { length, ordered, absent, withTimes }: DecidedRows,
): DecidedCells {
  const { index } = data;
  const { offsets, timesUs, valueCodes, order } = index;
  const { features, us, known, rows } = ordered;
  const codes = codeArray(data.log.values.length + REASONS, length).fill(UNKNOWN + REASONS);
  const changedUs = withTimes ? new Float64Array(length).fill(Number.NaN) : undefined;
  const first = column * index.rowCount;
  for (let place = 0; place < ordered.length; place += 1) {
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
  if (absent) markAbsent(codes, absent);
  return { codes, changedUs };
}

/** Where no change decides, and the feature did not exist. */
function markAbsent(codes: Codes, absent: Uint8Array): void {
  for (let row = 0; row < codes.length; row += 1) {
    if (absent[row] === 1 && (codes[row] ?? 0) < REASONS) codes[row] = ABSENT + REASONS;
  }
}

/** Cells of so few changes, as most are, are looked through. */
const FEW = 4;

/**
 * The place after the last change at or before a time. Of a few changes all are looked at, also of the next cell's: where
 * to stop cannot be foretold, and a branch that is taken by chance costs more than all else here.
 */
function placeAfter(timesUs: Float64Array, start: number, end: number, us: number): number {
  const count = end - start;
  if (count <= FEW && start + FEW <= timesUs.length) {
    return (
      start +
      (Number((timesUs[start] ?? 0) <= us) & Number(count > 0)) +
      (Number((timesUs[start + 1] ?? 0) <= us) & Number(count > 1)) +
      (Number((timesUs[start + 2] ?? 0) <= us) & Number(count > 2)) +
      (Number((timesUs[start + 3] ?? 0) <= us) & Number(count > 3))
    );
  }
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((timesUs[middle] ?? 0) <= us) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The place after the last of some changes that is among the first of the log. */
function knownEnd(order: Int32Array, start: number, end: number, known: number): number {
  let last = end;
  while (last > start && (order[last - 1] ?? 0) >= known) last -= 1;
  return last;
}
