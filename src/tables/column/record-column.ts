import type { Column } from "./column.js";

/** A column that was read from records. A row whose record lacks the member is null. */
export interface RecordColumn extends Column {
  /** Whether the record of a row has the member. */
  has(row: number): boolean;
}
