import type { ColumnTable } from "arquero";
import { requireAwaited } from "../../core/forgotten-await.js";

/**
 * Whether a value is an Arquero table, of any copy of Arquero.
 *
 * @throws ArgumentError for the promise of a table
 */
export function isTable(value: unknown): value is ColumnTable {
  requireAwaited(value);
  const { columnNames, column } = Object(value) as Partial<ColumnTable>;
  return typeof columnNames === "function" && typeof column === "function";
}
