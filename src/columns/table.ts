import { ColumnTable } from "arquero";
import type { Column } from "./column.js";

type ArqueroColumns = ConstructorParameters<typeof ColumnTable>[0];

/**
 * An Arquero table over columns, in their order, without copying values.
 *
 * @param columns column names with their columns, all of one length
 */
export function toTable(columns: Iterable<readonly [string, Column]>): ColumnTable {
  const entries = [...columns];
  return new ColumnTable(
    Object.fromEntries(entries) as ArqueroColumns,
    entries.map(([name]) => name),
  );
}
