// Forms of calendar dates and weeks in strings, from which SQL is generated as well; `instant.ts` reads instants. Patterns
// have the syntax that JavaScript, DuckDB, Trino and Spark share.
import { dayUs, US_PER_DAY } from "./instant.js";

/** A calendar date: `2025-06-30`. */
export const DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}";
/** An ISO 8601 week: `2025-W27`. */
const WEEK = "[0-9]{4}-W[0-9]{2}";
/** A time of day with seconds and fractions, both optional. */
export const CLOCK = "[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]+)?)?";
/** `Z`, or an offset from UTC. */
export const ZONE = "(?:[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)";

/** A calendar date or a week, as days since 1970. */
export interface CalendarPeriod {
  readonly firstDay: number;
  /** Number of its days. */
  readonly days: number;
}

/** A form of calendar periods. */
interface CalendarForm {
  readonly pattern: string;
  readonly days: number;
  /** Returns the first day, counted from 1970, of a string with the form; undefined if the period does not exist. */
  readonly firstDay: (text: string) => number | undefined;
}

/** The forms of calendar periods. `time-point-sql.ts` has the same rules in SQL, which interactive tables do not need. */
export const calendarForms: readonly CalendarForm[] = [
  {
    pattern: DAY,
    days: 1,
    firstDay: (text) => {
      const us = dayUs(text);
      return us === undefined ? undefined : us / US_PER_DAY;
    },
  },
  {
    pattern: WEEK,
    days: 7,
    firstDay: (text) => {
      const [year, week] = weekParts(text);
      const monday = mondayOf(year, week);
      return isoYearOf(monday) === year ? monday : undefined;
    },
  },
];

const whole = calendarForms.map((form) => ({ ...form, expression: new RegExp(`^${form.pattern}$`) }));
const START = /* @__PURE__ */ new RegExp(`^(?:${DAY}|${WEEK}$)`);

/** Whether a string has the form of a calendar date or an ISO week, which may not exist. */
export function isCalendarText(text: string): boolean {
  return whole.some(({ expression }) => expression.test(text));
}

/**
 * Whether a string begins like a date: a calendar date, a whole ISO week or an instant, which may be invalid. Text after
 * a week makes it a name: `2025-W27 progress`.
 */
export function startsLikeDate(text: string): boolean {
  return START.test(text);
}

/** The days of a calendar date or an ISO week; undefined for other strings, and if it does not exist. */
export function calendarPeriod(text: string): CalendarPeriod | undefined {
  const form = whole.find(({ expression }) => expression.test(text));
  const firstDay = form?.firstDay(text);
  return form === undefined || firstDay === undefined ? undefined : { firstDay, days: form.days };
}

/** The year and number of an ISO week. */
export function weekParts(text: string): readonly [year: number, week: number] {
  return [Number(text.slice(0, 4)), Number(text.slice(6))];
}

/** Monday of an ISO week, in days since 1970: the first week of a year contains 4 January. */
export function mondayOf(year: number, week: number): number {
  const fourth = new Date(0).setUTCFullYear(year, 0, 4) / (US_PER_DAY / 1000);
  // 1970 began on a Thursday.
  return fourth - ((((fourth + 3) % 7) + 7) % 7) + 7 * (week - 1);
}

/** The year to which a week belongs: that of its Thursday. */
export function isoYearOf(monday: number): number {
  return new Date(((monday + 3) * US_PER_DAY) / 1000).getUTCFullYear();
}
