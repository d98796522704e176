import type { ResolvedFilters } from "./params.js";

/** A record as plain data. */
export type Row = Readonly<Record<string, unknown>>;

/** Tells whether a record is selected by every filter. A field that it lacks counts as null. */
export function rowFilter(filters: ResolvedFilters): (row: Row) => boolean {
  const wanted = [...filters].map(([name, values]) => ({ name, values: new Set<unknown>(values) }));
  return (row) => wanted.every(({ name, values }) => values.has(row[name] ?? null));
}
