// Forms of calendar dates and weeks in strings, from which SQL is generated as well; `instant.ts` reads instants. Patterns
// have the syntax that JavaScript, DuckDB, Trino and Spark share.
import { dayUs, US_PER_DAY, whyNoDay } from "./instant.js";

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

/** The forms of calendar periods. */
const calendarForms: readonly CalendarForm[] = [
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

/** The form of a calendar period for SQL. */
interface CalendarSql {
  readonly pattern: string;
  readonly days: number;
  /** Returns an expression of DuckDB for the first day: a DATE, or null. */
  readonly firstDaySql: (text: string) => string;
}

/** The same forms for SQL. Separate, since interactive tables contain the others. */
export function calendarSqlForms(): readonly CalendarSql[] {
  return calendarForms.map(({ pattern, days }) => ({ pattern, days, firstDaySql: days === 7 ? mondaySql : daySql }));
}

function daySql(text: string): string {
  return `TRY_CAST(${text} AS DATE)`;
}

function mondaySql(text: string): string {
  const [year, week] = [`TRY_CAST(substr(${text}, 1, 4) AS INTEGER)`, `TRY_CAST(substr(${text}, 7, 2) AS INTEGER)`];
  const monday = `(CAST(date_trunc('week', make_date(${year}, 1, 4)) AS DATE) + 7 * (${week} - 1))`;
  return `CASE WHEN year(${monday} + 3) = ${year} THEN ${monday} END`;
}

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

/** Returns the end of a message about a day or week that does not exist; otherwise an empty string. */
export function whyNoPeriod(value: unknown): string {
  if (!isMissingWeek(value)) return whyNoDay(value);
  const [year, week] = weekParts(value);
  return week === 0 ? ": weeks begin with W01" : `: ${padded(year)} has ${weeksOf(year)} weeks`;
}

/** A fix for a week that does not exist; undefined for other values. */
export function weekHint(value: unknown): string | undefined {
  if (!isMissingWeek(value)) return undefined;
  const [year, week] = weekParts(value);
  const [earlier, later] = week === 0 ? [year - 1, year] : [year, year + 1];
  const [last, first] = [`${padded(earlier)}-W${weeksOf(earlier)}`, `${padded(later)}-W01`];
  return `Use ${JSON.stringify(last)} or ${JSON.stringify(first)}, the week after it.`;
}

/** The ISO week that begins on a Monday, counted in days from 1970. */
export function weekText(monday: number): string {
  const year = isoYearOf(monday);
  return `${padded(year)}-W${String((monday - mondayOf(year, 1)) / 7 + 1).padStart(2, "0")}`;
}

function isMissingWeek(value: unknown): value is string {
  return (
    typeof value === "string" && isCalendarText(value) && value.includes("W") && calendarPeriod(value) === undefined
  );
}

function weekParts(text: string): readonly [year: number, week: number] {
  return [Number(text.slice(0, 4)), Number(text.slice(6))];
}

/** Monday of an ISO week, in days since 1970: the first week of a year contains 4 January. */
function mondayOf(year: number, week: number): number {
  const fourth = new Date(0).setUTCFullYear(year, 0, 4) / (US_PER_DAY / 1000);
  // 1970 began on a Thursday.
  return fourth - ((((fourth + 3) % 7) + 7) % 7) + 7 * (week - 1);
}

/** The year to which a week belongs: that of its Thursday. */
function isoYearOf(monday: number): number {
  return new Date(((monday + 3) * US_PER_DAY) / 1000).getUTCFullYear();
}

function weeksOf(year: number): number {
  return (mondayOf(year + 1, 1) - mondayOf(year, 1)) / 7;
}

function padded(year: number): string {
  return String(year).padStart(4, "0");
}
