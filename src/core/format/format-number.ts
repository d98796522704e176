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

/** Text of a number with a true minus, as wide as a plus and never broken from its digits. */
function intlText(format: Intl.NumberFormat, value: number | bigint): string {
  return format.format(value).replace("-", MINUS);
}

const MINUS = "−";

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

/** From here on decimals are noise. */
export const HUGE = 1e15;
/** From here on numbers have more zeros than digits. */
const HUGEST = 1e21;

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

/** Whether the text of a number has all of its digits. */
export function isFullIn(value: number | bigint, { decimals, style }: NumberForm): boolean {
  const scale = style === "share" ? 100 : 1;
  return (
    typeof value === "bigint" || Number.isNaN(value) || Number((scale * value).toFixed(decimals)) / scale === value
  );
}

/** Percent sign of a language: with a space before it in most languages, without one in English. */
function percentSign(locale: string): string {
  const parts = intlFormat(locale, "percent", { style: "percent" }).formatToParts(1);
  return parts.flatMap(({ type, value }) => (type === "literal" || type === "percentSign" ? [value] : [])).join("");
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

/** Returns a count for a small cell: `940`, `1.2k`, `12k`. */
export function formatCompact(count: number, locale: NumberLocale = {}): string {
  return count < 1000 ? String(count) : inPower(count, 1, count < 9950 ? 1 : 0, locale);
}

/** Words of Siteframe's English for powers of a thousand; other languages have their own. */
const POWERS = ["", "k", "M", "bn", "tn"];
/** From here on ticks are compact. */
const COMPACT = 10_000;
/** Decimals of compact ticks: finer ticks are written out. */
const TICK_DECIMALS = 3;

/**
 * Returns the label of a tick: `8,000`, `12k`, `3.4M`, `40bn`, in other languages with their words, `3,4 Mio.`.
 *
 * @param most largest absolute value on the axis, so that 5,000 is `5k` next to `10k`. Default: that of the tick
 */
export function formatTick(value: number, most = Math.abs(value), { locale = LOCALE }: NumberLocale = {}): string {
  const power = Math.floor(Math.log10(Math.abs(value) * (1 + Number.EPSILON)) / 3);
  if (most < COMPACT || power < 1 || power >= POWERS.length) return formatMeasure(value, 4, { locale });
  const scaled = value / 1000 ** power;
  if (Number(scaled.toFixed(TICK_DECIMALS)) !== scaled) return formatNumber(value, { decimals: 6, locale });
  return inPower(value, power, TICK_DECIMALS, { locale });
}

/** Returns the label of a tick of counts: fractions have none. */
export function formatCountTick(count: number): string {
  return Number.isInteger(count) ? formatTick(count) : "";
}

/** Returns a number in little space, with three digits: `12.3k`, `3.46M`, `0.123`. The digits of integers below 10,000 are kept. */
export function formatShort(value: number, { locale = LOCALE }: NumberLocale = {}): string {
  return Math.abs(value) < COMPACT
    ? formatMeasure(value, 3, { locale })
    : formatTick(Number(value.toPrecision(3)), undefined, { locale });
}

function inPower(value: number, power: number, decimals: number, { locale = LOCALE }: NumberLocale): string {
  if (locale.startsWith("en")) return `${formatNumber(value / 1000 ** power, { decimals, locale })}${POWERS[power]}`;
  const options: Intl.NumberFormatOptions = { notation: "compact", maximumFractionDigits: decimals };
  return intlText(intlFormat(locale, `compact ${decimals}`, options), value);
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
