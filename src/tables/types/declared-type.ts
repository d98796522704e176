import type { Column } from "../column/column.js";
import { PickedColumn } from "../column/picked-column.js";

/** What is said of a column's values by the contract or by a definition. */
export interface DeclaredType {
  /** A field of the feature, a property, or a column that a table adds. */
  readonly of: "field" | "property" | "table";
  /** As the API names it: `integer` and `timestamp` of fields, `FLOAT` of definitions; undefined without a definition. */
  readonly type: string | undefined;
  /** The property key whose values the column holds, or one of them. */
  readonly key?: string | undefined;
}

/** By the column itself: Arquero's verbs pass columns on as long as their values are the same. */
const types = new WeakMap<Column, DeclaredType>();

/** Says what the values of a column are declared to be. Returns the same column. */
export function declareType<C extends Column>(column: C, type: DeclaredType): C {
  types.set(column, type);
  return column;
}

/** What the values of a column are declared to be; undefined for a column that nobody has said it of. */
export function declaredType(column: Column): DeclaredType | undefined {
  return types.get(column) ?? (column instanceof PickedColumn ? declaredType(column.source) : undefined);
}
