import type { ColumnTable } from "arquero";
import { Temporal } from "temporal-polyfill";
import { ArgumentError } from "../../core/errors.js";
import { dateOf, exactUs, MS_PER_DAY } from "../../core/instant.js";
import { showTimeOrNumber } from "../../core/show-record-value.js";
import type { Grid } from "../time/date-grid.js";
import { resolveTimePoint, type TimePoint, withoutTemporal } from "../time/valid-time.js";

/** A date as an axis takes it: calendar dates stand at their midnight in UTC, and texts without a zone are in UTC. */
export function chartDate(given: unknown): Date {
  const value = withoutTemporal(given);
  const date = typeof value === "string" ? readDate(value) : value;
  if (date instanceof Date && !Number.isNaN(date.getTime())) return date;
  throw new ArgumentError(`${showTimeOrNumber(value)} is not a date.`, {
    hint: 'Give "2026-06-30", an instant or a Date.',
  });
}

const DATE_ONLY = /^\d{4}(-\d\d){0,2}$/;

/** `Date` would read all but dates and zoned instants in the machine's time zone. */
function readDate(text: string): Date | undefined {
  if (DATE_ONLY.test(text)) return new Date(text);
  const us = exactUs(text);
  return us === undefined ? undefined : dateOf(us);
}

/** `2026-06-30`. */
export function dateLabel(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** The calendar date of a time where clocks show the time zone: the first date that includes it. */
export function calendarDate(time: Date, timeZone: string): string {
  if (timeZone === "UTC") return dateLabel(time);
  return Temporal.Instant.fromEpochMilliseconds(time.getTime()).toZonedDateTimeISO(timeZone).toPlainDate().toString();
}

/** What of a history tells when it begins and ends. */
export interface LogTimes {
  readonly timeZone: string;
  readonly until: Date | string;
  changes(): ColumnTable;
}

/** A chart's dates. By default days, weeks or months from a history's first change to `until`, or that of the history. */
export function chartGrid(history: LogTimes, dates: Grid | undefined, until?: TimePoint): Grid {
  return dates ?? sinceFirstChange(history, until);
}

function sinceFirstChange(history: LogTimes, until: TimePoint | undefined): Grid {
  const { timeZone } = history;
  const end = new Date(resolveTimePoint(until ?? history.until, timeZone) / 1000);
  const changes = history.changes();
  const first: unknown = changes.numRows() > 0 ? changes.get("created_at", 0) : end;
  const from = first instanceof Date ? first : end;
  const days = (end.getTime() - from.getTime()) / MS_PER_DAY;
  const every = days < 90 ? "day" : days < 1500 ? "week" : "month";
  return { from: calendarDate(from, timeZone), to: calendarDate(end, timeZone), every };
}
