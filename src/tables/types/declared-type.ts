import { type Column, PickedColumn } from "../column/column.js";

/** The declared type of a column's values, by the contract or a definition. */
export interface DeclaredType {
  /**
   * A field of the feature, a property, a column that a table adds, or a column that a verb derived from a column with
   * dates: it has the type only if all of its values do.
   */
  readonly of: "field" | "property" | "table" | "verb";
  /** Type in the API: `integer` and `timestamp` of fields, `FLOAT` of definitions; undefined without a definition. */
  readonly type: string | undefined;
  /** The property key of the column's values, or one of them. */
  readonly key?: string | undefined;
}

/** By column object: Arquero's verbs pass columns on unless their values change. */
const types = new WeakMap<Column, DeclaredType>();

/** Sets the declared type of a column. Returns the same column. */
export function declareType<C extends Column>(column: C, type: DeclaredType): C {
  types.set(column, type);
  return column;
}

/** The declared type of a column; undefined if not set. */
export function declaredType(column: Column): DeclaredType | undefined {
  return types.get(column) ?? (column instanceof PickedColumn ? declaredType(column.source) : undefined);
}
