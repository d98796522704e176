import type { PropertyDefinition } from "../api/resources.js";
import type { Column } from "../columns/column.js";

const jsonTypes: Readonly<Record<string, string>> = {
  FLOAT: "number",
  NUMBER: "number",
  DECIMAL: "number",
  INTEGER: "number",
  BOOLEAN: "boolean",
  STRING: "string",
  TEXT: "string",
};

/** How many values of a column are not of the JSON type that their definition promises. */
export function countMismatches(column: Column, definition: PropertyDefinition): number {
  const expected = jsonTypes[definition.type];
  if (expected === undefined) return 0;
  let count = 0;
  for (const value of column) if (value !== null && value !== undefined && typeof value !== expected) count += 1;
  return count;
}

/** The JSON type of a column's values where no definition names it: `json` where they differ, `null` where none is. */
export function seenType(column: Column): string {
  let seen: string | undefined;
  for (const value of column) {
    if (value === null || value === undefined) continue;
    const type = typeof value === "object" ? "json" : typeof value;
    if (seen !== undefined && seen !== type) return "json";
    seen = type;
  }
  return seen ?? "null";
}
