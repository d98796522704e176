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

/** A program with environment variables; browsers have none. */
interface HasEnvironment {
  readonly process?: { readonly env: Readonly<Record<string, string | undefined>> };
}

const env = (globalThis as HasEnvironment).process?.env;
/** The language of a report is in the environment of its process. */
export const LOCALE = (env?.["SITEFRAME_ORIGIN"] === "off" ? env["SITEFRAME_LOCALE"] : undefined) ?? "en-US";
const intlFormats = new Map<string, Intl.NumberFormat>();

/**
 * A format that is created once, since that takes much longer than using it.
 *
 * @param key name of the options
 */
export function intlFormat(locale: string, key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const name = `${locale} ${key}`;
  const format = intlFormats.get(name) ?? new Intl.NumberFormat(locale, options);
  intlFormats.set(name, format);
  return format;
}

/** Text of a number with a true minus, as wide as a plus and never broken from its digits. */
export function intlText(format: Intl.NumberFormat, value: number | bigint): string {
  return format.format(value).replace("-", MINUS);
}

export const MINUS = "−";

/** Returns a count with separators: `12,345`. */
export function formatCount(count: number, { locale = LOCALE }: NumberLocale = {}): string {
  return intlText(intlFormat(locale, "count", {}), count);
}

/** Returns a number with separators and a maximum number of decimals: `1,234.5`. */
export function formatNumber(value: number, { decimals, leastDecimals = 0, locale = LOCALE }: NumberDigits): string {
  const digits = { minimumFractionDigits: leastDecimals, maximumFractionDigits: decimals };
  return intlText(intlFormat(locale, `decimals ${leastDecimals} ${decimals}`, digits), value);
}

/** Returns a number with a number of significant digits, for thresholds and sizes: `0.00123`, `1,230,000`. */
export function formatSignificant(value: number, digits: number, { locale = LOCALE }: NumberLocale = {}): string {
  return intlText(intlFormat(locale, `digits ${digits}`, { maximumSignificantDigits: digits }), value);
}

/** Returns a number with a number of significant digits for tooltips and axes. The digits of integers are never cut. */
export function formatMeasure(value: number, digits = 4, { locale = LOCALE }: NumberLocale = {}): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  // So small or so large that most of the digits would be zeros.
  if (size < 1e-6 || size >= HUGEST) return String(Number(value.toPrecision(digits))).replace("-", MINUS);
  // NaN has no digits.
  const whole = Math.floor(Math.log10(size || 1)) + 1;
  return formatNumber(value, { decimals: Math.max(0, Math.min(20, digits - whole)), locale });
}

/** From here on numbers have more zeros than digits. */
export const HUGEST = 1e21;

/** Percent sign of a language: with a space before it in most languages, without one in English. */
export function percentSign(locale: string): string {
  const parts = intlFormat(locale, "percent", { style: "percent" }).formatToParts(1);
  return parts.flatMap(({ type, value }) => (type === "literal" || type === "percentSign" ? [value] : [])).join("");
}

/** Returns a short amount for labels: integers from 100 on, and never 0 for other amounts. */
export function formatAmount(amount: number, { locale = LOCALE }: NumberLocale = {}): string {
  const size = Math.abs(amount);
  if (size < 1) return formatSignificant(amount, 2, { locale });
  return formatNumber(amount, { decimals: size < 100 ? 1 : 0, locale });
}

/** Returns a percentage with its sign, `15.2%`: never 100 for less than the whole, and never 0 for other amounts. */
export function formatPercent(percent: number, { decimals, leastDecimals = 0, locale = LOCALE }: NumberDigits): string {
  const shown = belowWhole(percent, decimals);
  const isTiny = percent !== 0 && Number(shown.toFixed(decimals)) === 0;
  const text = isTiny ? formatAmount(percent, { locale }) : formatNumber(shown, { decimals, leastDecimals, locale });
  return `${text}${percentSign(locale)}`;
}

/** Returns a number with fixed decimals, and never 0 for other numbers: a key figure or its change. */
export function formatFigure(value: number, { decimals, locale = LOCALE }: NumberDigits): string {
  const isNothing = value !== 0 && Number(value.toFixed(decimals)) === 0;
  if (isNothing) return formatAmount(value, { locale });
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return intlText(intlFormat(locale, `figure ${decimals}`, { ...digits, signDisplay: "negative" }), value);
}

/** Returns a difference with its sign: `+1.5`, `−2.0`. */
export function formatChange(value: number, decimals: number, { locale = LOCALE }: NumberLocale = {}): string {
  return `${value > 0 ? "+" : MINUS}${formatNumber(Math.abs(value), { decimals, leastDecimals: decimals, locale })}`;
}

/** Returns a formatted number with its unit, if there is one: `3 m`, `15.2%`. */
export function withUnit(
  text: string,
  unit: string | null | undefined,
  { locale = LOCALE }: NumberLocale = {},
): string {
  if (unit === undefined || unit === null) return text;
  return unit === "%" ? `${text}${percentSign(locale)}` : `${text} ${unit}`;
}
