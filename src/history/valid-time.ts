import { Temporal } from "temporal-polyfill";
import { ArgumentError } from "../core/errors.js";
import { parseInstant } from "../core/instant.js";
import { showValue } from "../core/show-value.js";

/** A point in valid time: a `Date`, an ISO 8601 instant, or a calendar date, which means the whole of that day. */
export type TimePoint = Date | string;

const CALENDAR_DATE = /^\d{4}-\d\d-\d\d$/;

/**
 * The last microsecond that a point in time includes.
 *
 * A calendar date includes everything before the next midnight in `timeZone`; an instant includes itself.
 *
 * @returns microseconds since 1970
 * @throws ArgumentError for anything that is no date or instant, or does not exist (`2025-02-30`)
 */
export function resolveTimePoint(point: TimePoint, timeZone: string): number {
  if (point instanceof Date) {
    if (!Number.isNaN(point.getTime())) return point.getTime() * 1000;
  } else if (typeof point === "string") {
    const us = CALENDAR_DATE.test(point) ? endOfDay(point, timeZone) : instantOf(point);
    if (us !== undefined) return us;
  }
  throw new ArgumentError(`${showValue(point)} is no point in time.`, {
    hint: 'Give a Date, an instant with its zone ("2025-06-30T12:00:00Z"), or a calendar date ("2025-06-30").',
  });
}

/**
 * Checks an IANA time zone and returns it.
 *
 * @throws ArgumentError if it is not known
 */
export function resolveTimeZone(timeZone = "UTC"): string {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(timeZone);
    return timeZone;
  } catch (cause) {
    throw new ArgumentError(`${showValue(timeZone)} is not a known time zone.`, {
      hint: 'Give an IANA name, for example "Europe/Berlin".',
      cause,
    });
  }
}

function instantOf(text: string): number | undefined {
  const instant = parseInstant(text);
  if (instant && !instant.zoned) {
    throw new ArgumentError(`The instant ${showValue(text)} names no time zone.`, {
      hint: `Append Z for UTC or an offset, for example ${showValue(`${text}Z`)}.`,
    });
  }
  return instant?.us;
}

function endOfDay(text: string, timeZone: string): number | undefined {
  let day: Temporal.PlainDate;
  try {
    day = Temporal.PlainDate.from(text, { overflow: "reject" });
  } catch {
    return undefined;
  }
  const midnight = day.add({ days: 1 }).toZonedDateTime(timeZone);
  return midnight.epochMilliseconds * 1000 - 1;
}
