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
  let index = 0;
  for (; index <= counted.length - STEP; index += STEP) {
    target[index] = codeOf(valueCodes, cells[index], counted[index]);
    target[index + 1] = codeOf(valueCodes, cells[index + 1], counted[index + 1]);
    target[index + 2] = codeOf(valueCodes, cells[index + 2], counted[index + 2]);
    target[index + 3] = codeOf(valueCodes, cells[index + 3], counted[index + 3]);
    target[index + 4] = codeOf(valueCodes, cells[index + 4], counted[index + 4]);
    target[index + 5] = codeOf(valueCodes, cells[index + 5], counted[index + 5]);
    target[index + 6] = codeOf(valueCodes, cells[index + 6], counted[index + 6]);
    target[index + 7] = codeOf(valueCodes, cells[index + 7], counted[index + 7]);
  }
  for (; index < counted.length; index += 1) target[index] = codeOf(valueCodes, cells[index], counted[index]);
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
  let index = 0;
  for (; index <= rows.length - STEP; index += STEP) {
    target[index] = pick(rows[index]);
    target[index + 1] = pick(rows[index + 1]);
    target[index + 2] = pick(rows[index + 2]);
    target[index + 3] = pick(rows[index + 3]);
    target[index + 4] = pick(rows[index + 4]);
    target[index + 5] = pick(rows[index + 5]);
    target[index + 6] = pick(rows[index + 6]);
    target[index + 7] = pick(rows[index + 7]);
  }
  for (; index < rows.length; index += 1) target[index] = pick(rows[index]);
}

/**
 * The code of a cell, given its number of changes at or before the time. The branch predictor cannot predict which
 * cells are decided, and mispredictions would dominate the cost, so the sign of the count serves as a mask.
 */
function codeOf(valueCodes: Codes, start = 0, count = 0): number {
  const isDecided = -count >> 31;
  return (valueCodes[start + count + isDecided] as number) & isDecided;
}

/** Returns a function that writes values outside the dictionary to a block. */
function putterInto({ codes, apart }: Block<unknown>): (index: number, value: unknown) => void {
  let count = 0;
  return (index, value) => {
    apart[count] = value;
    count += 1;
    codes[index] = -count;
  };
}
