import type { Column } from "../column/column.js";
import { DateColumn } from "../column/date-column.js";
import { PickedColumn } from "../column/picked-column.js";

/** Microseconds since 1970 of a column of instants by row; NaN where there is none. */
export function instantUs(column: Column): (row: number) => number {
  if (column instanceof DateColumn) return (row) => column.us(row);
  if (column instanceof PickedColumn) {
    const usOf = instantUs(column.source);
    return (index) => usOf(column.rowAt(index));
  }
  return (row) => {
    const value = column.at(row);
    return value instanceof Date ? value.getTime() * 1000 : Number.NaN;
  };
}
