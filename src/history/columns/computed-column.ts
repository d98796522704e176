import type { Column } from "../../tables/column/column.js";
import { PickedColumn } from "../../tables/column/picked-column.js";

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
  return new PickedColumn(column, rows);
}
