import { daysInMonth } from "./days-in-month.js";

/** A day as a unit of elapsed time: 24 hours, whatever clocks were doing. */
export const US_PER_DAY = 86_400_000_000;

/** An instant as it was read from a text. */
export interface ParsedInstant {
  /** Microseconds since 1970-01-01T00:00Z; an exact integer to the year 2255. Finer digits are cut off. */
  readonly us: number;
  /** Whether the text named its zone (`Z` or an offset). Without one it was read as UTC. */
  readonly zoned: boolean;
}

const INSTANT = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:(Z)|([+-])(\d\d):?(\d\d)?)?$/i;

/**
 * Reads an ISO 8601 instant to the microsecond. `Date` would drop everything below the millisecond.
 *
 * @returns undefined if the text is no instant, or names a date or time that does not exist
 */
export function parseInstant(text: string): ParsedInstant | undefined {
  const match = INSTANT.exec(text);
  if (!match) return undefined;
  const part = (index: number) => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  if (minute > 59 || second > 59 || hour > 23 || day < 1 || day > daysInMonth(year, month)) return undefined;
  const fraction = (match[7] ?? "").padEnd(6, "0").slice(0, 6);
  const offsetMinutes = (match[9] === "-" ? -1 : 1) * (part(10) * 60 + part(11));
  const ms = Date.UTC(year, month - 1, day, hour, minute, second) - offsetMinutes * 60_000;
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  const us = (year < 100 ? new Date(ms).setUTCFullYear(year) : ms) * 1000 + Number(fraction);
  return { us, zoned: match[8] !== undefined || match[9] !== undefined };
}

/** The `Date` of an instant, rounded down to the millisecond. */
export function dateOf(us: number): Date {
  return new Date(Math.floor(us / 1000));
}

/** An instant as ISO 8601 text in UTC, with microseconds only where there are some. */
export function formatInstant(us: number): string {
  const rest = ((us % 1000) + 1000) % 1000;
  const text = dateOf(us).toISOString();
  return rest === 0 ? text : text.replace("Z", `${String(rest).padStart(3, "0")}Z`);
}
