import { Temporal } from "temporal-polyfill";
import { ArgumentError } from "../../core/errors.js";
import { dateOf, exactUs } from "../../core/instant.js";
import { showValue } from "../../core/show-value.js";
import { withoutTemporal } from "../../history/time/temporal-point.js";

/** A date as an axis takes it: calendar dates stand at their midnight in UTC, and texts without a zone are in UTC. */
export function chartDate(given: unknown): Date {
  const value = withoutTemporal(given);
  const date = typeof value === "string" ? readDate(value) : value;
  if (date instanceof Date && !Number.isNaN(date.getTime())) return date;
  throw new ArgumentError(`${showValue(value)} is no date.`, { hint: 'Give "2026-06-30", an instant or a Date.' });
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
