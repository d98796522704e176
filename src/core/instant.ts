/** A day as a unit of elapsed time: 24 hours, whatever clocks were doing. */
export const US_PER_HOUR = 3_600_000_000;
export const US_PER_DAY = 24 * US_PER_HOUR;
export const MS_PER_DAY = US_PER_DAY / 1000;

/** An instant parsed from a string. */
export interface ParsedInstant {
  /**
   * Microseconds since 1970-01-01T00:00Z. Finer digits are truncated. An exact integer from 1684 to 2255. In other
   * years the nearest double; adjacent doubles differ by up to 32 microseconds there. `exactUs` is exact in all years.
   * years.
   */
  readonly us: number;
  /** Whether the string has a time zone (`Z` or an offset). Without one it is read as UTC. */
  readonly zoned: boolean;
  /**
   * Whether the string has a second 60, as in leap seconds, or `24:00:00`, the end of a day. Either is read as the
   * start of the next second.
   */
  readonly rolledOver: boolean;
}

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:(Z)|([+-])(\d\d):?(\d\d)?)?$/i;

/**
 * Reads an ISO 8601 instant to the microsecond. `Date` would drop everything below the millisecond.
 *
 * A second 60 of any minute is read as the start of the next second, whatever its fraction: an instant within a leap
 * second is never after an instant that follows it.
 *
 * @returns undefined if the string is not an instant, or has a date or time that does not exist
 */
export function parseInstant(text: string): ParsedInstant | undefined {
  const usual = usualUs(text);
  if (Number.isSafeInteger(usual)) return { us: usual, zoned: true, rolledOver: false };
  const read = readParts(text);
  return read && { us: Number(usOf(read)), zoned: read.zoned, rolledOver: read.rolledOver };
}

/**
 * Microseconds since 1970, always exact: a number if a double is exact, otherwise a bigint (before 1684 and after
 * 2255).
 */
export type ExactUs = number | bigint;

/** Returns the microseconds of an ISO 8601 instant, read like `parseInstant`, exact in all years. */
export function exactUs(text: string): ExactUs | undefined {
  const usual = usualUs(text);
  if (Number.isSafeInteger(usual)) return usual;
  const read = readParts(text);
  return read && usOf(read);
}

/** Returns the instant of a `Date`; NaN if it is invalid. */
export function exactUsOf(date: Date): ExactUs {
  const ms = date.getTime();
  return Number.isNaN(ms) ? ms : usOf({ ms, restUs: 0 });
}

interface InstantParts {
  readonly ms: number;
  /** Fraction of a second. */
  readonly restUs: number;
}

function usOf({ ms, restUs }: InstantParts): ExactUs {
  const us = ms * 1000 + restUs;
  return Number.isSafeInteger(us) ? us : BigInt(ms) * 1000n + BigInt(restUs);
}

function readParts(text: string): (InstantParts & Omit<ParsedInstant, "us">) | undefined {
  const match = INSTANT.exec(text);
  if (!match) return undefined;
  const [
    ,
    years,
    months,
    days,
    hours,
    minutes,
    seconds = "0",
    digits = "",
    utc,
    sign,
    zoneHours = "0",
    zoneMinutes = "0",
  ] = match;
  const [year, month, day] = [Number(years), Number(months), Number(days)];
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)];
  const isDayEnd = hour === 24 && minute === 0 && second === 0 && Number(digits) === 0;
  const isLeap = second === 60;
  if (minute > 59 || second > 60 || (hour > 23 && !isDayEnd)) return undefined;
  if (day < 1 || day > daysInMonth(year, month)) return undefined;
  const fraction = isLeap ? "" : digits.slice(0, 6);
  const offsetMinutes = (sign === "-" ? -1 : 1) * (Number(zoneHours) * 60 + Number(zoneMinutes));
  return {
    ms: midnightMs(year, month, day) + ((hour * 60 + minute - offsetMinutes) * 60 + second) * 1000,
    restUs: Number(fraction.padEnd(6, "0")),
    zoned: utc !== undefined || sign !== undefined,
    rolledOver: isLeap || isDayEnd,
  };
}

/** Powers of ten, cached: computing them takes longer than reading the rest of a time. */
const powers = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000];

/** Microseconds of `2024-06-30T12:00:00Z` with up to six digits after the second; NaN for other formats. */
function usualUs(text: string): number {
  const end = text.length - 1;
  if (end < 19 || end > 26 || end === 20 || text.charCodeAt(end) !== 0x5a) return Number.NaN;
  if (text[4] !== "-" || text[7] !== "-" || text[10] !== "T" || text[13] !== ":" || text[16] !== ":") return Number.NaN;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const hour = digits(text, 11, 13);
  const minute = digits(text, 14, 16);
  const second = digits(text, 17, 19);
  if (!(year >= 100 && hour < 24 && minute < 60 && second < 60 && day >= 1 && day <= daysInMonth(year, month)))
    return Number.NaN;
  const seconds = Date.UTC(year, month - 1, day) / 1000 + (hour * 60 + minute) * 60 + second;
  if (end === 19) return seconds * 1e6;
  return text[19] === "." ? seconds * 1e6 + digits(text, 20, end) * (powers[26 - end] as number) : Number.NaN;
}

/** The number of some digits; NaN if they include other characters. */
function digits(text: string, start: number, end: number): number {
  let number = 0;
  for (let index = start; index < end; index += 1) {
    const digit = text.charCodeAt(index) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

/** `Date.UTC` reads the years 0 to 99 as 1900 to 1999. */
function midnightMs(year: number, month: number, day: number): number {
  return year < 100 ? new Date(0).setUTCFullYear(year, month - 1, day) : Date.UTC(year, month - 1, day);
}

const CALENDAR_DATE = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Whether a string has the form of a calendar date, `2025-06-30`, with any digits. */
export function isDateText(text: string): boolean {
  return CALENDAR_DATE.test(text);
}

/**
 * Returns the start of a calendar date in UTC, in microseconds since 1970, exact in all years.
 *
 * @returns undefined if the string is not a calendar date, or the day does not exist
 */
export function dayUs(text: string): number | undefined {
  const [, year, month, day] = CALENDAR_DATE.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  return day > 0 && day <= daysInMonth(year, month) ? midnightMs(year, month, day) * 1000 : undefined;
}

/**
 * The last day of the month if a string begins with a later day: `2024-02-29` for `2024-02-30`; otherwise undefined.
 */
export function lastDayBefore(text: string): string | undefined {
  const [, year, month, day] = CALENDAR_DATE.exec(text.slice(0, 10))?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const last = daysInMonth(year, month);
  return last > 0 && day > last ? `${text.slice(0, 8)}${last}` : undefined;
}

/** Returns the end of a message about a string with a day after the last of its month; otherwise an empty string. */
export function whyNoDay(value: unknown): string {
  const last = typeof value === "string" ? lastDayBefore(value) : undefined;
  return last === undefined ? "" : `: the last day of that month is ${last}`;
}

class ExistingDate {
  /** The constructed object is the argument: a subclass adds its private fields to it. */
  constructor(date: Date) {
    // biome-ignore lint/correctness/noConstructorReturn: see above
    return date;
  }
}

/**
 * Microseconds in a private field of a `Date`, which table verbs copy with the `Date` and no other code sees. A WeakMap
 * would do the same but is twenty times slower.
 */
class DateMicroseconds extends ExistingDate {
  readonly #us: ExactUs;

  constructor(date: Date, us: ExactUs) {
    super(date);
    this.#us = us;
  }

  static of(date: Date): ExactUs | undefined {
    return #us in date ? (date as unknown as DateMicroseconds).#us : undefined;
  }
}

/** Returns the instant of a `Date` from `dateOf()`, with its microseconds; for other dates its milliseconds. */
export function sourceUsOf(date: Date): ExactUs {
  const us = DateMicroseconds.of(date);
  // The date may have been set to another time since.
  return us !== undefined && dateOf(us).getTime() === date.getTime() ? us : exactUsOf(date);
}

/** The `Date` of an instant, rounded down to the millisecond. */
export function dateOf(us: ExactUs): Date {
  const ms = typeof us === "number" ? Math.floor(us / 1000) : Number((us - restBelowMs(us)) / 1000n);
  const date = new Date(ms);
  if (typeof us === "bigint" || us !== ms * 1000) new DateMicroseconds(date, us);
  return date;
}

/** Returns the microseconds of an instant below its millisecond. */
export function usBelowMs(us: ExactUs): number {
  return typeof us === "number" ? ((us % 1000) + 1000) % 1000 : Number(restBelowMs(us));
}

function restBelowMs(us: bigint): bigint {
  return ((us % 1000n) + 1000n) % 1000n;
}

const monthDays = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Returns the number of days of a Gregorian month; 0 if the month does not exist.
 *
 * @param month from 1
 */
export function daysInMonth(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return leap ? 29 : (monthDays[month] ?? 0);
}
