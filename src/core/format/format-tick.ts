// Text of ticks and other numbers in little space.
import { formatMeasure, formatNumber, intlFormat, intlText, LOCALE, type NumberLocale } from "./format-number.js";

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
