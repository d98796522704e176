import { inspect } from "node:util";
import { formatIso, inUtc } from "../../core/format/format-date.js";
import { readSafely } from "../../core/show-value.js";
import { jsonText } from "../export/export-values.js";

/** Returns any value in full: numbers with all digits, dates as ISO 8601 in UTC, plain objects as JSON. */
export function formatValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Date) return formatIso(value, inUtc);
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

/** A table cell as text. `dim` marks placeholders such as `null`. */
export interface FormattedCell {
  readonly text: string;
  readonly numeric: boolean;
  readonly dim: boolean;
  /** Whether the value is missing: null, or undefined, which joins produce. */
  readonly isMissing?: true;
  /** The number itself, which may be shown with fewer digits. */
  readonly number?: number;
  /** Milliseconds since 1970 of a date, which may be shown with less precision. */
  readonly time?: number;
}

/** Formats one value for one line of a table. */
export function formatCell(value: unknown): FormattedCell {
  const text = formatValue(value);
  if (value === null || value === undefined) return { text, numeric: false, dim: true, isMissing: true };
  if (typeof value === "number") return { text, numeric: true, dim: Number.isNaN(value), number: value };
  if (typeof value === "bigint") return { text, numeric: true, dim: false };
  const time = value instanceof Date ? value.getTime() : Number.NaN;
  return { text, numeric: false, dim: false, ...(Number.isNaN(time) ? {} : { time }) };
}
