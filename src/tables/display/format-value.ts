import { inspect } from "node:util";
import { type DateFormat, formatIso, inUtc } from "../../core/format/format-date.js";
import { readSafely } from "../../core/show-value.js";
import { jsonText } from "../export/export-values.js";

/** Returns any value in full: numbers with all digits, dates as ISO 8601 with their offset, plain objects as JSON. */
export function formatValue(value: unknown, dates: DateFormat = inUtc): string {
  if (typeof value === "string") return value;
  if (value instanceof Date) return formatIso(value, dates);
  return (typeof value === "object" && value !== null) || typeof value === "function"
    ? objectText(value)
    : String(value);
}

/**
 * Lists, geometries and other plain objects as JSON, as in `toCSV()`; objects that JSON cannot express as Node inspects
 * them.
 */
function objectText(value: unknown): string {
  const shown = () =>
    inspect(value, { depth: 2, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 20, maxStringLength: 200 });
  return isPlain(value) ? (readSafely(() => jsonText(value), undefined) ?? shown()) : shown();
}

function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Array.isArray(value);
}
