import { Temporal } from "temporal-polyfill";
import { ArgumentError } from "../core/errors.js";
import { showValue } from "../core/show-value.js";

/** A date as an axis takes it: calendar dates stand at their midnight in UTC. */
export function chartDate(value: unknown): Date {
  const date = value instanceof Date ? value : new Date(typeof value === "string" ? value : Number.NaN);
  if (!Number.isNaN(date.getTime())) return date;
  throw new ArgumentError(`${showValue(value)} is no date.`, { hint: 'Give "2026-06-30", an instant or a Date.' });
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
