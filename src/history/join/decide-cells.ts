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
  let [feature, start, end, reason] = [-1, 0, 0, UNKNOWN];
  for (let place = 0; place < ordered.length; place += 1) {
    const next = features[place] ?? 0;
    if (next !== feature) {
      feature = next;
      start = offsets[first + feature] ?? 0;
      end = offsets[first + feature + 1] ?? 0;
      reason = end > start ? UNKNOWN : undecided(data, first + feature);
    }
    let after = placeAfter(timesUs, start, end, us[place] ?? 0);
    if (known) after = knownEnd(order, start, after, known[place] ?? 0);
    const row = rows[place] ?? 0;
    if (after > start) {
      codes[row] = (valueCodes[after - 1] ?? 0) + REASONS;
      if (changedUs) changedUs[row] = timesUs[after - 1] ?? 0;
    } else codes[row] = (absent?.[row] === 1 ? ABSENT : reason) + REASONS;
  }
  return { codes, changedUs };
}

/** Cells of so few changes are looked through. */
const FEW = 8;

/** The place after the last change at or before a time. */
function placeAfter(timesUs: Float64Array, start: number, end: number, us: number): number {
  let low = start;
  let high = end;
  while (high - low > FEW) {
    const middle = (low + high) >>> 1;
    if ((timesUs[middle] ?? 0) <= us) low = middle + 1;
    else high = middle;
  }
  while (low < high && (timesUs[low] ?? 0) <= us) low += 1;
  return low;
}

/** The place after the last of some changes that is among the first of the log. */
function knownEnd(order: Int32Array, start: number, end: number, known: number): number {
  let last = end;
  while (last > start && (order[last - 1] ?? 0) >= known) last -= 1;
  return last;
}
