import type { ColumnTable } from "arquero";

/** How outputs write the values of a column. */
export interface ColumnFormat {
  /** Unit of its numbers, shown after the name of the column. */
  readonly unit?: string | undefined;
  /** Decimals of its numbers. Default: as many as the shown numbers need. */
  readonly decimals?: number | undefined;
  /** IANA name of the time zone of its instants. Default: `UTC`. */
  readonly timeZone?: string | undefined;
  /** Precision of its instants: days for estimates. Default: minutes, or days if all are midnights. */
  readonly precision?: "day" | undefined;
  /** Whether its numbers are ids, which have no separators. Default: depends on its name. */
  readonly isId?: boolean | undefined;
}

const SHARED = Symbol.for("siteframe.columnFormats");

/**
 * By column object, which Arquero's verbs pass on unless its values change. All copies of the package share it: a kernel
 * shows tables that a project's own copy has created.
 */
const formats: WeakMap<object, ColumnFormat> = Reflect.get(globalThis, SHARED) ?? new WeakMap();
Reflect.set(globalThis, SHARED, formats);

const none: ColumnFormat = {};

/** Adds to the format of a column. Every table with the column then has it; fields without a value change nothing. */
export function setColumnFormat(column: unknown, format: ColumnFormat): void {
  if (typeof column !== "object" || column === null) return;
  const given = Object.entries(format).filter(([, value]) => value !== undefined);
  if (given.length > 0) formats.set(column, { ...formats.get(column), ...Object.fromEntries(given) });
}

/** Sets the time zone of the columns of a table. */
export function setTimeZone(table: ColumnTable, timeZone: string): void {
  for (const name of table.columnNames()) setColumnFormat(table.column(name), { timeZone });
}

/** Sets the format of dates that are estimates, which are not precise to the minute. Returns the same table. */
export function withEstimates<T extends { column(name: string): unknown }>(table: T, names: readonly string[]): T {
  for (const name of names) setColumnFormat(table.column(name), { precision: "day" });
  return table;
}

/** Returns the format of a column; fields that are not set are missing. */
export function columnFormat(column: unknown): ColumnFormat {
  return (typeof column === "object" && column !== null && formats.get(column)) || none;
}
