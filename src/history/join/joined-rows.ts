import type { Column } from "../../columns/column/column.js";
import { ABSENT, UNCHANGED, UNKNOWN } from "../cell/cell-state.js";
import { undecided } from "../cell/deciding-changes.js";
import type { HistoryData } from "../cell/history-data.js";
import { EarlyChanges } from "./early-changes.js";
import type { RowTimes } from "./row-times.js";

/** No feature, no time, or no point up to which something was known. */
export const NOWHERE = -1;

/** The rows of a table as a history sees them. */
export interface JoinedRows {
  readonly length: number;
  /** Row of each one's feature in the history; `NOWHERE` where a row can have no values. */
  readonly features: Int32Array;
  readonly times: RowTimes;
  /** How many changes of the log a row may know of; all if undefined. */
  readonly known: Int32Array | undefined;
  /** 1 for rows at times at which their features did not exist; undefined where there is no such row. */
  readonly absent: Uint8Array | undefined;
}

/** What a column's cells say. */
export interface JoinedCells {
  /** Codes of values in the log's dictionary, or why no change decides: `UNKNOWN`, `UNCHANGED`, `ABSENT`. */
  readonly codes: Int32Array;
  /** When the changes that decide were made, microseconds since 1970; NaN where none does. */
  readonly changedUs: Float64Array | undefined;
}

/** Which rows are at times at which their features did not exist, by what a row may know; undefined if none is. */
export function absentRows(data: HistoryData, { length, features, times, known }: Omit<JoinedRows, "absent">) {
  const { presentFromUs } = data;
  const { createdUs } = data.features;
  const sinceUs = known ? createdUs : presentFromUs;
  let absent: Uint8Array | undefined;
  let early: EarlyChanges | undefined;
  for (let row = 0; row < length; row += 1) {
    const feature = features[row] ?? NOWHERE;
    const us = times.us[row] ?? 0;
    if (feature === NOWHERE || !((sinceUs[feature] ?? 0) > us)) continue;
    if (known) {
      early ??= new EarlyChanges(data);
      if (early.hasOne(feature, us, known[row] ?? 0)) continue;
    }
    absent ??= new Uint8Array(length);
    absent[row] = 1;
  }
  return absent;
}

/**
 * What decides the cells of one column: one pass over the rows, each of which looks at the few changes of its cell.
 * The changes of a column lie together, feature by feature, so that they mostly are in the processor's cache.
 *
 * @param withTimes whether the times of the changes are wanted
 */
export function decideCells(data: HistoryData, column: number, rows: JoinedRows, withTimes: boolean): JoinedCells {
  const { index } = data;
  const { offsets, timesUs, valueCodes, rowCount } = index;
  const { length, features, known, absent } = rows;
  const { us } = rows.times;
  const codes = new Int32Array(length);
  const changedUs = withTimes ? new Float64Array(length).fill(Number.NaN) : undefined;
  const first = column * rowCount;
  for (let row = 0; row < length; row += 1) {
    const feature = features[row] ?? NOWHERE;
    if (feature === NOWHERE) {
      codes[row] = UNKNOWN;
      continue;
    }
    const cell = first + feature;
    const start = offsets[cell] ?? 0;
    let end = placeAfter(timesUs, start, offsets[cell + 1] ?? 0, us[row] ?? 0);
    if (known) end = knownEnd(index.order, start, end, known[row] ?? 0);
    if (end > start) {
      codes[row] = valueCodes[end - 1] ?? 0;
      if (changedUs) changedUs[row] = timesUs[end - 1] ?? 0;
    } else codes[row] = absent?.[row] === 1 ? ABSENT : undecided(data, cell);
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

/** The values that cells say, made when they are read. */
export function valueAt(
  { log, columns }: HistoryData,
  column: number,
  features: Int32Array,
  cells: () => JoinedCells,
): (row: number) => unknown {
  const { values } = log;
  const present: Column = columns[column]?.values ?? [];
  let codes: Int32Array | undefined;
  return (row) => {
    codes ??= cells().codes;
    const code = codes[row] ?? UNKNOWN;
    if (code >= 0) return values[code];
    return code === UNCHANGED ? (present.at(features[row] ?? 0) ?? null) : null;
  };
}
