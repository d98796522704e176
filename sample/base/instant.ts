// The sample counts time in microseconds since 1970, as numbers: exact until the year 2255.

export const SECOND = 1_000_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The instant of an ISO date (its midnight) or of an ISO instant, in UTC. */
export function instant(text: string): number {
  return Date.parse(text) * 1000;
}

/** The sample company's present: nothing in it is newer. */
export const PRESENT = instant("2026-06-30T12:00:00Z");

/** ISO 8601 in UTC: with milliseconds, and with microseconds where there are any. */
export function instantText(at: number): string {
  const millisecond = Math.floor(at / 1000);
  const second = Math.floor(millisecond / 1000);
  const clock = `${digits(Math.floor(second / 3600) % 24)}:${digits(Math.floor(second / 60) % 60)}:${digits(second % 60)}`;
  const micros = at % 1000;
  const rest = micros === 0 ? "" : THREE_DIGITS[micros];
  return `${dateText(at)}T${clock}.${THREE_DIGITS[millisecond % 1000]}${rest}Z`;
}

/** The ISO date of an instant, in UTC. */
export function dateText(at: number): string {
  const day = Math.floor(at / DAY);
  const known = dates.get(day);
  if (known !== undefined) return known;
  const text = new Date((day * DAY) / 1000).toISOString().slice(0, 10);
  dates.set(day, text);
  return text;
}

// Millions of timestamps fall on some thousand days: to write each by Date.toISOString() is what takes longest.
const dates = new Map<number, string>();
const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, "0"));

function digits(number: number): string {
  return number < 10 ? `0${number}` : String(number);
}

/** The midnight before an instant. */
export function startOfDay(at: number): number {
  return at - (at % DAY);
}

/** Day of the week, Monday 0 to Sunday 6. */
export function weekday(at: number): number {
  return (Math.floor(at / DAY) + 3) % 7;
}
