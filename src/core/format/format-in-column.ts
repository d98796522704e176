// Text of the numbers of one column. It is also part of every interactive table.
import { HUGEST, intlFormat, intlText, LOCALE, MINUS, type NumberLocale, percentSign } from "./format-number.js";

/** From here on decimals are noise. */
export const HUGE = 1e15;

/** How the numbers of one column are written. */
export interface NumberForm {
  /** The same for all numbers, so that their points align. */
  readonly decimals: number;
  /** Ids have no separators. A percentage has its sign; a share, from 0 to 1, is written as one. */
  readonly style?: "id" | "percent" | "share";
}

/**
 * Returns a number of a column for readers: `12,345.60`, `−3.00`, `56.7%`. Four digits have no separator, as years and
 * codes have none. Only 0 is written as zero.
 */
export function formatInColumn(
  value: number | bigint,
  { decimals, style, locale = LOCALE }: NumberForm & NumberLocale,
): string {
  if (style === "id" || !(Math.abs(Number(value)) < HUGEST))
    return formatPlain(value, { decimals }).replace("-", MINUS);
  const shown = style === "share" ? 100 * Number(value) : value;
  const isTiny = Number(shown) !== 0 && Number(Number(shown).toFixed(decimals)) === 0;
  const digits: Intl.NumberFormatOptions = isTiny
    ? { maximumSignificantDigits: 2 }
    : { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  // From 10,000 on.
  const format = intlFormat(locale, `column ${isTiny} ${decimals}`, { ...digits, useGrouping: "min2" });
  const text = intlText(format, shown);
  return style === undefined ? text : `${text}${percentSign(locale)}`;
}

/** Returns the same number as people type it: with the same decimals, but without separators, and `-` for a minus. */
export function formatPlain(value: number | bigint, { decimals, style }: NumberForm): string {
  if (typeof value === "bigint" || !(Math.abs(value) < HUGE)) return String(value);
  const shown = style === "share" ? 100 * value : value;
  const text = shown.toFixed(decimals);
  const written = shown !== 0 && Number(text) === 0 ? shown.toPrecision(2) : text;
  return style === "share" || style === "percent" ? `${written}%` : written;
}

/** Digits of a product of decimals that are exact. */
const PRECISE = 14;

/** Whether the text of a number has all of its digits. */
export function isFullIn(value: number | bigint, { decimals, style }: NumberForm): boolean {
  if (typeof value === "bigint" || Number.isNaN(value)) return true;
  const shown = style === "share" ? Number((100 * value).toPrecision(PRECISE)) : value;
  return Number(shown.toFixed(decimals)) === shown;
}

/** Maximum number of decimals that are likely rounded on purpose; more are artifacts of arithmetic. */
const MEANT = 6;
/** Significant digits for numbers that were not rounded. */
const DIGITS = 5;
const FEWEST = 2;

/**
 * Returns the number of decimals for the numbers of one column: all, if none has more than six; otherwise enough for five
 * digits of the largest one, and at least two.
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
