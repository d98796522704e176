const MS_PER_DAY = 86_400_000;

/** Days from 1970-01-01 to a calendar date, a text `2025-06-30`. */
export function daysOf(date: unknown): number {
  return Date.parse(`${String(date)}T00:00:00Z`) / MS_PER_DAY;
}
