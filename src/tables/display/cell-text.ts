// What cells show of numbers and dates: in the HTML of a table and in the script of a live one alike.
import { MS_PER_DAY } from "../../core/instant.js";

/** What a cell shows that has no value: it is read by people who never heard of null. */
export const NO_VALUE = "–";

/** From here on digits behind the point are noise, and `toFixed` begins to write exponents. */
export const HUGE = 1e15;

/** A number with so many decimals. Whole numbers stay whole, and what is not zero does not read as zero. */
export function numberText(value: number, decimals: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= HUGE) return String(value);
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? value.toPrecision(2) : text;
}

/**
 * As much of a date as its unit needs.
 *
 * @param ms since 1970
 * @param unit milliseconds of which all dates of the column are multiples
 */
export function dateText(ms: number, unit: number): string {
  const length = unit === MS_PER_DAY ? 10 : unit === 60_000 ? 16 : unit === 1000 ? 19 : 23;
  return new Date(ms).toISOString().slice(0, length).replace("T", " ");
}
