// Text of numbers, shares and amounts.
import { belowWhole } from "../share.js";

/** Language of separators. */
export interface NumberLocale {
  /** BCP 47 tag. Default: `en-US`. */
  readonly locale?: string;
}

/** Digits of a number. */
export interface NumberDigits extends NumberLocale {
  /** Maximum number of decimals. */
  readonly decimals: number;
  /** Minimum number of decimals. Default: 0. */
  readonly leastDecimals?: number;
}

/** The language of a report is in the environment of its process; browsers have none. */
const { env = {} }: { readonly env?: Readonly<Record<string, string | undefined>> } = Object(
  Reflect.get(globalThis, "process"),
);
const LOCALE = env["SITEFRAME_LOCALE"] ?? "en-US";
const intlFormats = new Map<string, Intl.NumberFormat>();

/**
 * A format that is created once, since that takes much longer than using it.
 *
 * @param key name of the options
 */
function intlFormat(locale: string, key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const name = `${locale} ${key}`;
  const format = intlFormats.get(name) ?? new Intl.NumberFormat(locale, options);
  intlFormats.set(name, format);
  return format;
}

/** Returns a count with separators: `12,345`. */
export function formatCount(count: number, { locale = LOCALE }: NumberLocale = {}): string {
  return count.toLocaleString(locale);
}

/** Returns a number with separators and a maximum number of decimals: `1,234.5`. */
export function formatNumber(value: number, { decimals, leastDecimals = 0, locale = LOCALE }: NumberDigits): string {
  const digits = { minimumFractionDigits: leastDecimals, maximumFractionDigits: decimals };
  return intlFormat(locale, `decimals ${leastDecimals} ${decimals}`, digits).format(value);
}

/** Returns a number with a number of significant digits, for thresholds and sizes: `0.00123`, `1,230,000`. */
export function formatSignificant(value: number, digits: number, { locale = LOCALE }: NumberLocale = {}): string {
  return intlFormat(locale, `digits ${digits}`, { maximumSignificantDigits: digits }).format(value);
}

/** Returns a number with a number of significant digits for tooltips and axes. The digits of integers are never cut. */
export function formatMeasure(value: number, digits = 4, { locale = LOCALE }: NumberLocale = {}): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  // So small or so large that most of the digits would be zeros.
  if (size < 1e-6 || size >= 1e21) return String(Number(value.toPrecision(digits)));
  // NaN has no digits.
  const whole = Math.floor(Math.log10(size || 1)) + 1;
  return formatNumber(value, { decimals: Math.max(0, Math.min(20, digits - whole)), locale });
}

/** From here on decimals are noise, and `toFixed` begins to write exponents. */
export const HUGE = 1e15;

/**
 * Returns a number of a column in which all have the same decimals. Integers stay integers, and other numbers never
 * become zero.
 */
export function formatFixed(value: number, decimals: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= HUGE) return String(value);
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? value.toPrecision(2) : text;
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

/** Returns a short amount for labels: integers from 100 on, and never 0 for other amounts. */
export function formatAmount(amount: number, { locale = LOCALE }: NumberLocale = {}): string {
  const size = Math.abs(amount);
  if (size < 1) return formatSignificant(amount, 2, { locale });
  return formatNumber(amount, { decimals: size < 100 ? 1 : 0, locale });
}

/** Returns a percentage: never 100 for less than the whole, and never 0 for other amounts. */
export function formatPercent(percent: number, { decimals, leastDecimals = 0, locale = LOCALE }: NumberDigits): string {
  const shown = belowWhole(percent, decimals);
  if (percent !== 0 && Number(shown.toFixed(decimals)) === 0) return formatAmount(percent, { locale });
  return formatNumber(shown, { decimals, leastDecimals, locale });
}

/** Returns a number with a true minus, and never 0 for other numbers: a key figure or its change. */
export function formatFigure(value: number, { decimals, locale = LOCALE }: NumberDigits): string {
  const isNothing = value !== 0 && Number(value.toFixed(decimals)) === 0;
  if (isNothing) return formatAmount(value, { locale }).replace("-", "−");
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const format = intlFormat(locale, `figure ${decimals}`, { ...digits, signDisplay: "negative" });
  return format.format(value).replace("-", "−");
}

/** Returns a difference with its sign: `+1.5`, `−2.0`. */
export function formatChange(value: number, decimals: number): string {
  return `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(decimals)}`;
}

/** Returns a count for a small cell: `940`, `1.2k`, `12k`. */
export function formatCompact(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 9950 ? 1 : 0)}k`;
}

/** Returns a formatted number with its unit, if there is one. */
export function withUnit(text: string, unit: string | null | undefined): string {
  return unit === undefined || unit === null ? text : `${text} ${unit}`;
}
