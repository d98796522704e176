import { inspect } from "node:util";
import { MS_PER_DAY } from "../../../core/instant.js";
import { readSafely } from "../../../core/show-value.js";
import { jsonText } from "../../export/export-values.js";

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

/** Formats one value for one line of a table. Dates are ISO, independent of the machine's locale and time zone. */
export function formatCell(value: unknown): FormattedCell {
  switch (typeof value) {
    case "string":
      return { text: value, numeric: false, dim: false };
    case "number":
      return { text: String(value), numeric: true, dim: Number.isNaN(value), number: value };
    case "bigint":
      return { text: String(value), numeric: true, dim: false };
    case "undefined":
      return { text: "undefined", numeric: false, dim: true, isMissing: true };
    default:
      if (value === null) return { text: "null", numeric: false, dim: true, isMissing: true };
      return value instanceof Date ? formatDate(value) : { text: objectText(value), numeric: false, dim: false };
  }
}

function formatDate(value: Date): FormattedCell {
  const time = value.getTime();
  if (Number.isNaN(time)) return { text: "Invalid Date", numeric: false, dim: false };
  return { text: value.toISOString(), numeric: false, dim: false, time };
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

const DATE_UNITS = [MS_PER_DAY, 60_000, 1000];

/**
 * The largest unit, in milliseconds, of which all dates of a column are multiples, so that smaller parts can be
 * omitted.
 */
export function dateUnit(times: readonly (number | null)[]): number {
  return DATE_UNITS.find((each) => times.every((time) => time === null || time % each === 0)) ?? 1;
}

/** Maximum number of decimals that are likely rounded on purpose; more are artifacts of arithmetic. */
const MEANT = 6;
/** Significant digits for numbers that were not rounded. */
const DIGITS = 5;
const FEWEST = 2;

/**
 * Number of decimals for the numbers of one column: all, if none has more than six; otherwise enough for five digits of
 * the largest one, and at least two.
 */
export function sensibleDecimals(numbers: Iterable<unknown>): number {
  let [most, greatest] = [0, 0];
  for (const value of numbers) {
    if (typeof value !== "number" || !Number.isFinite(value)) continue;
    greatest = Math.max(greatest, Math.abs(value));
    while (most <= MEANT && Number(value.toFixed(most)) !== value) most += 1;
  }
  if (most <= MEANT) return most;
  const whole = Math.floor(Math.log10(greatest)) + 1;
  return Math.min(20, Math.max(FEWEST, DIGITS - whole));
}
