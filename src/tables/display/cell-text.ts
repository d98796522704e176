// Text of numbers and dates in cells, for the HTML of a table and the script of an interactive table.
import { MS_PER_DAY } from "../../core/instant.js";

/** Text of a cell without a value, for readers who do not know null. */
export const NO_VALUE = "–";

/** From here on decimals are noise, and `toFixed` begins to write exponents. */
export const HUGE = 1e15;

/** A number with a number of decimals. Integers stay integers, and other numbers never become zero. */
export function numberText(value: number, decimals: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= HUGE) return String(value);
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? value.toPrecision(2) : text;
}

/**
 * A date with the precision of its unit.
 *
 * @param ms since 1970
 * @param unit milliseconds of which all dates of the column are multiples
 */
export function dateText(ms: number, unit: number): string {
  const length = unit === MS_PER_DAY ? 10 : unit === 60_000 ? 16 : unit === 1000 ? 19 : 23;
  return new Date(ms).toISOString().slice(0, length).replace("T", " ");
}
