import type { ResolvedFilters } from "../../api/params.js";

/** A record as plain data. */
export type Row = Readonly<Record<string, unknown>>;

/** Whether a record is selected by every filter. A field that it lacks counts as null. */
export function matchesFilters(row: Row, filters: ResolvedFilters): boolean {
  return [...filters].every(([name, values]) => values.some((value) => value === (row[name] ?? null)));
}
