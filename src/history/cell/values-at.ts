import type { Block, Values } from "../columns/block-column.js";
import type { ChangeIndex } from "../index/change-index.js";
import type { Codes } from "../log/change-log.js";
import { cellValue } from "./cell-state.js";
import { decidingChanges } from "./deciding-changes.js";
import type { HistoryData } from "./history-data.js";
import { goneFromUs, isAbsent } from "./present-rows.js";

/**
 * Cells per loop. V8 checks the types and locations of the arrays before each loop, which takes as long as two cells.
 */
const STEP = 8;

/**
 * The values of a property column at a time, for some features.
 *
 * @param rows rows of the features, ascending
 * @param backfill whether to use the first later change if all changes are later
 */
export function valuesAt(
  data: HistoryData,
  column: number,
  rows: Int32Array,
  us: number,
  backfill: boolean,
): Values<unknown> {
  const { index } = data;
  const hasGone = us >= data.firstGoneUs;
  const counts = index.countsAt(column, us);
  const decisionOf = decidingChanges(data, column, counts, us, backfill);
  const valueAt = (row: number) => cellValue(data, row, column, decisionOf(row));
  const isWhole = rows.length === data.features.count;
  return {
    at: (entry) => valueAt(rows[entry] as number),
    dictionary: data.log.values,
    read(start, end, block) {
      if (isWhole) readDecided(index, column, counts, start, end, block.codes);
      else pickDecided(index, column, counts, rows.subarray(start, end), block.codes);
      if (hasGone) {
        for (let entry = start; entry < end; entry += 1) {
          if (goneFromUs(data, rows[entry] as number) <= us) block.codes[entry - start] = 0;
        }
      }
      const put = putterInto(block);
      if (backfill) {
        for (let entry = start; entry < end; entry += 1) {
          const row = rows[entry] as number;
          if (counts[row] === 0) put(entry - start, valueAt(row));
        }
        return;
      }
      const standing = data.standing(column);
      let entry = start;
      standing.forEach(rows[start] as number, (rows[end - 1] as number) + 1, (row) => {
        if (isWhole) entry = row;
        else while ((rows[entry] ?? row) < row) entry += 1;
        if (rows[entry] === row && !isAbsent(data, row, us)) put(entry - start, standing.value(row));
      });
    },
  };
}

/**
 * Writes the codes of values from changes, and 0 (null) for all other cells.
 *
 * @param counts number of changes of each feature in the column at or before the time
 * @param start first of the rows
 * @param end the row after the last
 */
function readDecided(
  { offsets, valueCodes, rowCount }: ChangeIndex,
  column: number,
  counts: Codes,
  start: number,
  end: number,
  target: Int32Array,
): void {
  const cells = offsets.subarray(column * rowCount + start, column * rowCount + end);
  const counted = counts.subarray(start, end);
  let place = 0;
  for (; place <= counted.length - STEP; place += STEP) {
    target[place] = codeOf(valueCodes, cells[place], counted[place]);
    target[place + 1] = codeOf(valueCodes, cells[place + 1], counted[place + 1]);
    target[place + 2] = codeOf(valueCodes, cells[place + 2], counted[place + 2]);
    target[place + 3] = codeOf(valueCodes, cells[place + 3], counted[place + 3]);
    target[place + 4] = codeOf(valueCodes, cells[place + 4], counted[place + 4]);
    target[place + 5] = codeOf(valueCodes, cells[place + 5], counted[place + 5]);
    target[place + 6] = codeOf(valueCodes, cells[place + 6], counted[place + 6]);
    target[place + 7] = codeOf(valueCodes, cells[place + 7], counted[place + 7]);
  }
  for (; place < counted.length; place += 1) target[place] = codeOf(valueCodes, cells[place], counted[place]);
}

/** The same for scattered rows. */
function pickDecided(
  { offsets, valueCodes, rowCount }: ChangeIndex,
  column: number,
  counts: Codes,
  rows: Int32Array,
  target: Int32Array,
): void {
  const cells = offsets.subarray(column * rowCount, (column + 1) * rowCount);
  const pick = (row = 0) => codeOf(valueCodes, cells[row], counts[row]);
  let place = 0;
  for (; place <= rows.length - STEP; place += STEP) {
    target[place] = pick(rows[place]);
    target[place + 1] = pick(rows[place + 1]);
    target[place + 2] = pick(rows[place + 2]);
    target[place + 3] = pick(rows[place + 3]);
    target[place + 4] = pick(rows[place + 4]);
    target[place + 5] = pick(rows[place + 5]);
    target[place + 6] = pick(rows[place + 6]);
    target[place + 7] = pick(rows[place + 7]);
  }
  for (; place < rows.length; place += 1) target[place] = pick(rows[place]);
}

/**
 * The code of a cell, given its number of changes at or before the time. The branch predictor cannot predict which
 * cells are decided, and mispredictions would dominate the cost, so the sign of the count serves as a mask.
 */
function codeOf(valueCodes: Codes, start = 0, count = 0): number {
  const isDecided = -count >> 31;
  return (valueCodes[start + count + isDecided] ?? 0) & isDecided;
}

/** Returns a function that writes values outside the dictionary to a block. */
function putterInto({ codes, apart }: Block<unknown>): (place: number, value: unknown) => void {
  let count = 0;
  return (place, value) => {
    apart[count] = value;
    count += 1;
    codes[place] = -count;
  };
}
