import type { ColumnTable } from "arquero";
import { declaredType, definitionKind } from "../../src/tables/types/declared-type.js";

/**
 * What SQL shows of the values of a table's column: null for those that are not of the type of the column's definition, where
 * this says more than that it is a text. Ids of other features are shown as other values are.
 */
export function storedValues(table: ColumnTable, name: string): readonly unknown[] {
  const declared = declaredType(table.column(name) ?? []);
  const kind = declared?.of === "property" ? definitionKind(declared.type) : undefined;
  const values = Array.from(table.array(name) as Iterable<unknown>);
  if (!kind || kind.many || kind.one === "text") return values;
  return values.map((value) => (kind.accepts(value) ? value : null));
}
