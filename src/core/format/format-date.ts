// Text of dates and instants. Years, months and days are those of a time zone; nothing depends on the machine's.
import { dateOf, type ExactUs, MS_PER_DAY, usBelowMs } from "../instant.js";
import { LocalClock } from "../local-clock.js";
import { reportLocale } from "../provenance.js";
import { formatLocal, ISO_DAY, MS_PER_MINUTE } from "./format-local.js";

/** Time zone of a date's text, and its precision. */
export interface DateFormat {
  /** IANA name of the time zone of the calendar and the clock. */
  readonly timeZone: string;
  /** Milliseconds to which dates are shown. Smaller parts are left out. Default: 1. */
  readonly unit?: number;
  /** BCP 47 tag of the language of written dates, `29 Nov 2026`. Default: ISO dates, `2026-11-29`. */
  readonly locale?: string | undefined;
}

/** The form of dates for other programs, and of dates that are read as UTC. */
export const inUtc: DateFormat = { timeZone: "UTC" };

/** Returns the form of dates in outputs that people read: ISO, in reports written out. */
export function shownDates(timeZone = "UTC"): DateFormat {
  return { timeZone, locale: reportLocale() };
}

/** Text of a `Date` that has no time. */
const INVALID = "Invalid Date";

const UNITS = [MS_PER_DAY, MS_PER_MINUTE, 1000];

/**
 * Returns the largest unit, in milliseconds, of which all dates are multiples in local time, so that smaller parts can be
 * left out. Missing and invalid dates have no effect.
 *
 * @param times milliseconds since 1970
 */
export function dateUnit(times: readonly (number | null)[], { timeZone }: DateFormat): number {
  const local = times.map((time) => (time === null || Number.isNaN(time) ? 0 : localMs(time, timeZone)));
  return UNITS.find((unit) => local.every((time) => time % unit === 0)) ?? 1;
}

/** Returns the unit of dates for readers who do not need seconds: a day, or a minute. */
export function dayOrMinute(times: readonly (number | null)[], format: DateFormat): number {
  return Math.max(MS_PER_MINUTE, dateUnit(times, format));
}

/**
 * Returns a date with the precision of its unit: `2026-06-30`, `2026-06-30 14:03`, `2026-06-30 14:03:20.125`; in a
 * language `30 Jun 2026, 14:03`.
 */
export function formatDate(date: Date | number, { timeZone, unit = 1, locale }: DateFormat): string {
  const local = localMs(Number(date), timeZone);
  return Number.isNaN(local) ? INVALID : formatLocal(local, unit, locale);
}

/** Returns the calendar date of a time, that is, the first date that includes it: `2026-06-30`. */
export function formatDay(date: Date | number, format: DateFormat): string {
  return formatDate(date, { ...format, unit: MS_PER_DAY });
}

/** Returns the time of day, without seconds: `14:03`. */
export function formatClock(date: Date | number, { timeZone }: DateFormat): string {
  return formatDate(date, { timeZone, unit: MS_PER_MINUTE }).slice(-"14:03".length);
}

/** Returns a date with its zone, for readers outside of a table: `2026-06-30 14:03 UTC`. */
export function formatMinute(date: Date | number, format: DateFormat): string {
  return `${formatDate(date, { ...format, unit: MS_PER_MINUTE })} ${format.timeZone}`;
}

/** Returns a date in full as ISO 8601: `2026-06-30T14:03:20.000Z`, in other zones with the offset, `…+02:00`. */
export function formatIso(date: Date | number, { timeZone }: DateFormat): string {
  const ms = Number(date);
  return Number.isNaN(ms) ? INVALID : withOffset(ms, timeZone, "");
}

/** Returns a calendar date if the date is midnight in its zone, otherwise the date in full. */
export function formatDayOrIso(date: Date | number, format: DateFormat): string {
  const ms = Number(date);
  return dateUnit([ms], format) === MS_PER_DAY ? formatDay(ms, format) : formatIso(ms, format);
}

/** Returns an instant as ISO 8601, with microseconds only if they are not 0. */
export function formatInstant(us: ExactUs, { timeZone }: DateFormat = inUtc): string {
  const rest = usBelowMs(us);
  return withOffset(dateOf(us).getTime(), timeZone, rest === 0 ? "" : String(rest).padStart(3, "0"));
}

/**
 * Returns a requested time (RFC 9557) in short form for readers: `2024-06-30`, `2024-06-30, Europe/Madrid`, `2026-06-30
 * 14:03 UTC`.
 */
export function formatAsked(asked: string, { locale }: Pick<DateFormat, "locale"> = {}): string {
  const [time = "", zone] = asked.split(/[[\]]/);
  const [day = ""] = time.split("T");
  const date = locale === undefined || !ISO_DAY.test(day) ? day : formatLocal(Date.parse(day), MS_PER_DAY, locale);
  const words = `${date}${time
    .slice(day.length)
    .replace("T", " ")
    .replace(/(:00)?(\.0+)?Z$/, " UTC")}`;
  return zone === undefined ? words : `${words}, ${zone}`;
}

/** Returns the type of a column as shown in its head: dates have their zone. */
export function formatType(type: string, timeZone: string): string {
  return type === "date" ? `date, ${timeZone}` : type;
}

/** @param below digits of the microseconds below a millisecond */
function withOffset(ms: number, timeZone: string, below: string): string {
  // ISO 8601 has no seconds in offsets, which zones had before 1972.
  const offset = MS_PER_MINUTE * Math.round((localMs(ms, timeZone) - ms) / MS_PER_MINUTE);
  const text = new Date(ms + offset).toISOString().slice(0, -1);
  return `${text}${below}${timeZone === "UTC" ? "Z" : offsetText(offset / MS_PER_MINUTE)}`;
}

function offsetText(minutes: number): string {
  const [hour, minute] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? "-" : "+"}${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

const clocks = new Map<string, LocalClock>();

/** Returns the local time of an instant as milliseconds since 1970 as if it were UTC. */
export function localMs(ms: number, timeZone: string): number {
  if (timeZone === "UTC" || !Number.isFinite(ms)) return ms;
  const clock = clocks.get(timeZone) ?? new LocalClock(timeZone);
  clocks.set(timeZone, clock);
  return ms + clock.offsetUs(ms * 1000) / 1000;
}
