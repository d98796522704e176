import type { Column } from "./column.js";

/** How many values of a column are of each JSON type. */
export type TypeCounts = Readonly<Record<ValueType, number>>;

/** JSON types; arrays and objects are `json`. */
export type ValueType = "null" | "boolean" | "number" | "string" | "json";

/** A column that can count types without decoding its values. */
interface TypedColumn extends Column {
  countTypes(): TypeCounts;
}

/** Counts the values of a column by type. A missing value is null. */
export function countTypes(column: Column): TypeCounts {
  if (isTyped(column)) return column.countTypes();
  const counts = noTypes();
  for (const value of column) counts[typeOf(value)] += 1;
  return counts;
}

/** Counts to add to. */
export function noTypes(): Record<ValueType, number> {
  return { null: 0, boolean: 0, number: 0, string: 0, json: 0 };
}

/** The JSON type of a value. */
export function typeOf(value: unknown): ValueType {
  if (value === null || value === undefined) return "null";
  const type = typeof value;
  return type === "boolean" || type === "number" || type === "string" ? type : "json";
}

function isTyped(column: Column): column is TypedColumn {
  return "countTypes" in column;
}
