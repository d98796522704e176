import type { Column } from "../columns/column.js";

/** A column whose values are made when they are read. */
export function computedColumn<T>(length: number, at: (row: number) => T): Column<T> {
  return {
    length,
    at,
    *[Symbol.iterator]() {
      for (let row = 0; row < length; row += 1) yield at(row);
    },
  };
}

/** A column's values in the rows of a selection, without a copy. */
export function pickedColumn(column: Column, rows: Int32Array): Column {
  return computedColumn(rows.length, (index) => column.at(rows[index] ?? 0));
}

/**
 * A column of runs: value `i` fills the rows before `ends[i]` that no earlier value fills.
 *
 * @param ends ascending
 */
export function runColumn<T>(values: readonly T[], ends: Int32Array): Column<T | undefined> {
  return computedColumn(ends.at(-1) ?? 0, (row) => values[runOf(ends, row)]);
}

function runOf(ends: Int32Array, row: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ends[middle] ?? 0) <= row) low = middle + 1;
    else high = middle;
  }
  return low;
}
