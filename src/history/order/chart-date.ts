import type { ColumnTable } from "arquero";
import { calendarPeriod, isCalendarText } from "../../core/calendar-period.js";
import { ArgumentError } from "../../core/errors.js";
import { formatDay } from "../../core/format/format-date.js";
import { dateOf, exactUs, MS_PER_DAY } from "../../core/instant.js";
import { showTimeOrNumber } from "../../core/show-record-value.js";
import type { Dates } from "../time/date-grid.js";
import { resolveTimePoint, type TimePoint, withoutTemporal } from "../time/valid-time.js";

/**
 * A date for an axis: calendar dates, ISO weeks, months and years are their first midnight in UTC, and strings without a
 * zone are in UTC.
 */
export function chartDate(given: unknown): Date {
  const value = withoutTemporal(given);
  const date = typeof value === "string" ? readDate(value) : value;
  if (date instanceof Date && !Number.isNaN(date.getTime())) return date;
  throw new ArgumentError(`Invalid date ${showTimeOrNumber(value)}.`, {
    hint: 'Use a calendar date ("2026-06-30"), an ISO week ("2026-W27"), an instant ("2026-06-30T12:00:00Z") or a Date.',
  });
}

const MONTH_OR_YEAR = /^\d{4}(-\d\d)?$/;

/** `Date` would read most other forms in the machine's time zone. */
function readDate(text: string): Date | undefined {
  if (MONTH_OR_YEAR.test(text)) return new Date(text);
  if (isCalendarText(text)) return new Date((calendarPeriod(text)?.firstDay ?? Number.NaN) * MS_PER_DAY);
  const us = exactUs(text);
  return us === undefined ? undefined : dateOf(us);
}

/** The begin and end of a history. */
export interface LogTimes {
  readonly timeZone: string;
  readonly until: Date | string;
  changes(): ColumnTable;
}

/**
 * The dates of a chart. Default: days, weeks or months from a history's first change to `until`, or that of the
 * history.
 */
export function chartGrid(history: LogTimes, dates: Dates | undefined, until?: TimePoint): Dates {
  return dates ?? sinceFirstChange(history, until);
}

function sinceFirstChange(history: LogTimes, until: TimePoint | undefined): Dates {
  const { timeZone } = history;
  const end = new Date(resolveTimePoint(until ?? history.until, timeZone) / 1000);
  const changes = history.changes();
  const first: unknown = changes.numRows() > 0 ? changes.get("created_at", 0) : end;
  const from = first instanceof Date ? first : end;
  const days = (end.getTime() - from.getTime()) / MS_PER_DAY;
  const every = days < 90 ? "day" : days < 1500 ? "week" : "month";
  return { from: formatDay(from, { timeZone }), until: formatDay(end, { timeZone }), every };
}
