// Text of local times. It is also part of every interactive table, so it is short and has no time zones.
import { MS_PER_DAY } from "../instant.js";

export const MS_PER_MINUTE = 60_000;

/** A calendar date as a string, as properties have it. */
export const ISO_DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * Returns a local time with the precision of its unit: `2026-06-30`, `2026-06-30 14:03`, `2026-06-30 14:03:20.125`.
 *
 * @param ms milliseconds since 1970 as if local time were UTC
 * @param unit milliseconds to which the time is shown
 * @param locale BCP 47 tag of a language that writes the day: `30 Jun 2026, 14:03`. Default: ISO 8601
 */
export function formatLocal(ms: number, unit: number, locale?: string): string {
  const text = new Date(ms).toISOString().replace("T", " ");
  // Leaves out " 14:03:20.125Z", ":20.125Z", ".125Z" or "Z" from the end: years may have more than four digits.
  const [day = "", time] = text
    .slice(0, unit % MS_PER_DAY === 0 ? -14 : unit % MS_PER_MINUTE === 0 ? -8 : unit % 1000 === 0 ? -5 : -1)
    .split(" ");
  const date = locale === undefined ? day : writtenDay(ms, locale);
  return time === undefined ? date : `${date}${locale === undefined ? " " : ", "}${time}`;
}

const dayFormats = new Map<string, Intl.DateTimeFormat>();

/** A day with the short name of its month, in English in the order of most countries. */
function writtenDay(ms: number, locale: string): string {
  const options = { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" } as const;
  const format = dayFormats.get(locale) ?? new Intl.DateTimeFormat(locale, options);
  dayFormats.set(locale, format);
  if (!locale.startsWith("en")) return format.format(ms);
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  return `${parts.get("day")} ${parts.get("month")} ${parts.get("year")}`;
}
