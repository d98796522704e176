import type { ColumnTable } from "arquero";
import { requireAwaited } from "../../core/forgotten-await.js";

/**
 * Whether a value is a table of Arquero, of whichever copy of it.
 *
 * @throws ArgumentError for the promise of one
 */
export function isTable(value: unknown): value is ColumnTable {
  requireAwaited(value);
  const { columnNames, column } = Object(value) as Partial<ColumnTable>;
  return typeof columnNames === "function" && typeof column === "function";
}
