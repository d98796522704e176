import { inspect } from "node:util";

/** A table cell as text. `dim` marks what is no value of its own, such as `null`. */
export interface FormattedCell {
  readonly text: string;
  readonly numeric: boolean;
  readonly dim: boolean;
  /** The number itself, of which fewer digits may be shown. */
  readonly number?: number;
}

/** Formats one value for one line of a table. Dates are ISO; nothing depends on the machine's locale or time zone. */
export function formatCell(value: unknown): FormattedCell {
  switch (typeof value) {
    case "string":
      return { text: value, numeric: false, dim: false };
    case "number":
      return { text: String(value), numeric: true, dim: Number.isNaN(value), number: value };
    case "bigint":
      return { text: String(value), numeric: true, dim: false };
    case "undefined":
      return { text: "undefined", numeric: false, dim: true };
    default:
      return { text: formatObject(value), numeric: false, dim: value === null };
  }
}

function formatObject(value: unknown): string {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  return inspect(value, { depth: 2, breakLength: Number.POSITIVE_INFINITY, maxArrayLength: 20, maxStringLength: 200 });
}

/** As many decimals somebody has rounded to; more are what arithmetic leaves behind. */
const MEANT = 6;
/** Digits that are shown of numbers that nobody has rounded. */
const DIGITS = 5;
const FEWEST = 2;

/**
 * Decimals with which the numbers of one column are shown: all, where none has more than six; else as many as give the
 * greatest of them five digits, and two at least.
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
