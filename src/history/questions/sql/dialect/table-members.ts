import type { Dialect } from "./dialect.js";

/**
 * A table of literals that may be empty.
 *
 * @param columns of which the first is a number
 * @param rows numbers, and texts at the end
 */
export function tableMembers(
  dialect: Dialect,
  name: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  if (rows.length > 0) return [dialect.relation(name, columns, rows)];
  // Literals make a row: that of an empty table is left out again. Where there are rows, DuckDB fails over such a filter.
  const none = columns.map((_, place) => (place < columns.length - 1 ? "0" : dialect.text("")));
  return [dialect.relation(`no_${name}`, columns, [none]), `${name} AS (SELECT * FROM no_${name} WHERE 1 = 0)`];
}
