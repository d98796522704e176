import { type ExactUs, exactUsOf, formatInstant } from "../../core/instant.js";
import type { Column } from "../column/column.js";
import { DateColumn } from "../column/date-column.js";
import { PickedColumn } from "../column/picked-column.js";

/** Microseconds since 1970 of a column of instants by row, exact in all years; NaN where there is none. */
export function instantUs(column: Column): (row: number) => ExactUs {
  if (column instanceof DateColumn) return (row) => column.exactUs(row);
  if (column instanceof PickedColumn) {
    const usOf = instantUs(column.source);
    return (index) => usOf(column.rowAt(index));
  }
  return (row) => {
    const value = column.at(row);
    return value instanceof Date ? exactUsOf(value) : Number.NaN;
  };
}

/** A column of instants as texts to the microsecond, which a `DateColumn` reads; what is no instant as it came. */
export function instantTexts(column: Column): readonly unknown[] {
  const usOf = instantUs(column);
  return Array.from({ length: column.length }, (_, row) => {
    const us = usOf(row);
    return Number.isNaN(us) ? (column.at(row) ?? null) : formatInstant(us);
  });
}
