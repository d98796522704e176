import type { ColumnTable } from "arquero";

/** Whether a value is a table of Arquero, of whichever copy of it. */
export function isTable(value: unknown): value is ColumnTable {
  const { columnNames, column } = Object(value) as Partial<ColumnTable>;
  return typeof columnNames === "function" && typeof column === "function";
}
