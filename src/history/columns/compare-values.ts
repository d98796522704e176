import { canonicalJson, compareText } from "../../core/json/json.js";

/** Order of any values: null, booleans, numbers, dates, texts, then arrays and objects by their canonical JSON. */
export function compareValues(a: unknown, b: unknown): number {
  const difference = rank(a) - rank(b);
  if (difference !== 0) return difference;
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "object" && !(a instanceof Date)) return compareText(canonicalJson(a), canonicalJson(b));
  return Number(a) - Number(b);
}

function rank(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === "boolean") return 1;
  if (typeof value === "number") return 2;
  if (value instanceof Date) return 3;
  return typeof value === "string" ? 4 : 5;
}
