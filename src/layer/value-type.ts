import type { PropertyDefinition } from "../api/resources.js";
import type { Column } from "../columns/column/column.js";
import { countTypes, type ValueType } from "../columns/column/count-types.js";

const jsonTypes: Readonly<Record<string, ValueType>> = {
  FLOAT: "number",
  NUMBER: "number",
  DECIMAL: "number",
  INTEGER: "number",
  BOOLEAN: "boolean",
  STRING: "string",
  TEXT: "string",
};

/** The JSON type that a definition's type promises; undefined for types that are not known. */
export function jsonTypeOf(type: string): ValueType | undefined {
  return Object.hasOwn(jsonTypes, type) ? jsonTypes[type] : undefined;
}

/** How many values of a column are not of the JSON type that their definition promises. */
export function countMismatches(column: Column, definition: PropertyDefinition): number {
  const expected = jsonTypeOf(definition.type);
  if (expected === undefined) return 0;
  const counts = countTypes(column);
  return column.length - counts.null - counts[expected];
}

/** The JSON type of a column's values where no definition names it: `json` where they differ, `null` where none is. */
export function seenType(column: Column): ValueType {
  const { null: _, ...counts } = countTypes(column);
  const seen = Object.entries(counts).filter(([, count]) => count > 0);
  return seen.length > 1 ? "json" : ((seen[0]?.[0] as ValueType | undefined) ?? "null");
}
