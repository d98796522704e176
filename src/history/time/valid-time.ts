import { Temporal } from "temporal-polyfill";
import { ArgumentError } from "../../core/errors.js";
import {
  dayUs,
  exactUs,
  exactUsOf,
  formatInstant,
  isDateText,
  parseInstant,
  US_PER_DAY,
  whyNoDay,
} from "../../core/instant.js";
import { showValue } from "../../core/show-value.js";

/**
 * A point in valid time: a `Date`, an ISO 8601 instant, or a calendar date, which means the whole of that day. Of Temporal an
 * `Instant` and a `ZonedDateTime` are instants, and a `PlainDate` is a calendar date.
 */
export type TimePoint = PlainPoint | TemporalPoint;

/** One that is not of Temporal. */
export type PlainPoint = Date | string;

/** What messages say of a value that is no point in time, and of one that would be one in a time zone. */
export const NO_POINT = "is no point in time";
export const TIME_HINT =
  'Give a Date, an instant with its zone ("2025-06-30T12:00:00Z"), or a calendar date ("2025-06-30").';
export const NO_ZONE = "names no time zone";

/** What a query of SQL is to give for a point in time, as the beginning of a hint. */
export function giveTime(timeZone: string): string {
  return `Give a calendar date, which includes the whole day in ${timeZone}, or an instant with its zone`;
}

/** Whether a point is a calendar date, of whatever digits. */
export function isCalendarDate(point: PlainPoint): point is string {
  return typeof point === "string" && isDateText(point);
}

/**
 * The last microsecond that a point in time includes.
 *
 * A calendar date includes everything before the next midnight in `timeZone`; an instant includes itself.
 *
 * @returns microseconds since 1970
 * @throws ArgumentError for anything that is no date or instant, or does not exist (`2025-02-30`)
 */
export function resolveTimePoint(given: TimePoint, timeZone: string): number {
  const point = withoutTemporal(given);
  return isCalendarDate(point) ? endOfDay(point, timeZone) - 1 : instantOf(point);
}

/**
 * The end of what a point in time includes, itself excluded: the next midnight after a calendar date, an instant
 * itself. Lengths of time are counted up to here.
 *
 * @returns microseconds since 1970
 * @throws ArgumentError like `resolveTimePoint`
 */
export function resolveTimeEnd(given: TimePoint, timeZone: string): number {
  const point = withoutTemporal(given);
  return isCalendarDate(point) ? endOfDay(point, timeZone) : instantOf(point);
}

/**
 * The first microsecond that a point in time includes: of a calendar date its midnight in `timeZone`, else the instant.
 *
 * @returns microseconds since 1970
 * @throws ArgumentError like `resolveTimePoint`
 */
export function resolveTimeStart(given: TimePoint, timeZone: string): number {
  const point = withoutTemporal(given);
  return isCalendarDate(point) ? startOfDay(point, timeZone) : instantOf(point);
}

/** Up to where a question looks. */
export interface TimeLimit {
  /** The last microsecond that belongs to it. What happens then counts. */
  readonly lastUs: number;
  /** Where lengths of time are cut: the same for an instant, the next microsecond for a calendar date. */
  readonly endUs: number;
}

/**
 * Both ends of a point in time. Whatever is asked "until" a point sees what `asOf` sees there: `lastUs` decides what counts,
 * and `endUs` how long it lasted.
 *
 * @throws ArgumentError like `resolveTimePoint`
 */
export function resolveTimeLimit(given: TimePoint, timeZone: string): TimeLimit {
  return { lastUs: resolveTimePoint(given, timeZone), endUs: resolveTimeEnd(given, timeZone) };
}

/** A point in time as ISO 8601: a date with its time zone behind it where that is not UTC (RFC 9557), or an instant. */
export function timePointText(given: TimePoint, timeZone: string): string {
  const point = withoutTemporal(given);
  if (!isCalendarDate(point)) return exactText(point);
  return timeZone === "UTC" ? point : `${point}[${timeZone}]`;
}

/**
 * Checks an IANA time zone and returns it.
 *
 * @throws ArgumentError if it is not known
 */
export function resolveTimeZone(timeZone = "UTC"): string {
  if (isTimeZone(timeZone)) return timeZone;
  throw new ArgumentError(`${showValue(timeZone)} is not a known time zone.`, {
    hint: 'Give an IANA name, for example "Europe/Berlin".',
  });
}

/** `Temporal` would also accept the zone of an instant: "2025-06-30T12:00:00Z". */
const INSTANT = /^[+-]?\d{4,6}-?\d\d/;

function isTimeZone(text: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text);
    return !INSTANT.test(text);
  } catch {
    return false;
  }
}

function exactText(point: PlainPoint): string {
  const us = instantOf(point);
  return formatInstant(typeof point === "string" ? (exactUs(point) ?? us) : exactUsOf(point));
}

function instantOf(point: PlainPoint): number {
  if (point instanceof Date) {
    if (Number.isNaN(point.getTime())) throw noTime(point);
    return point.getTime() * 1000;
  }
  const instant = typeof point === "string" ? parseInstant(point) : undefined;
  if (!instant) throw noTime(point);
  if (instant.zoned) return instant.us;
  throw new ArgumentError(`The instant ${showValue(point)} ${NO_ZONE}.`, {
    hint: `Append Z for UTC or an offset, for example ${showValue(`${point}Z`)}.`,
  });
}

function startOfDay(date: string, timeZone: string): number {
  return midnight(date, timeZone, 0);
}

function endOfDay(date: string, timeZone: string): number {
  return midnight(date, timeZone, 1);
}

/** The beginning of the day that is some days after a calendar date. */
function midnight(date: string, timeZone: string, days: number): number {
  const us = dayUs(date);
  if (us === undefined) throw noTime(date);
  if (timeZone === "UTC") return us + days * US_PER_DAY;
  return Temporal.PlainDate.from(date).add({ days }).toZonedDateTime(timeZone).epochMilliseconds * 1000;
}

function noTime(point: unknown): ArgumentError {
  return new ArgumentError(`${showValue(point)} ${NO_POINT}${whyNoDay(point)}.`, {
    hint: TIME_HINT,
  });
}

/** A `Temporal.Instant`, of whatever engine or polyfill. */
export interface TemporalInstant {
  /** By which it is known. */
  readonly [Symbol.toStringTag]: "Temporal.Instant";
  /** Its ISO 8601 text in UTC. */
  toString(): string;
}

/** A `Temporal.ZonedDateTime`: the instant that it is. Its zone does not count, since it is no calendar date. */
export interface TemporalZonedDateTime {
  /** By which it is known. */
  readonly [Symbol.toStringTag]: "Temporal.ZonedDateTime";
  /** The instant that it is. */
  toInstant(): TemporalInstant;
}

/** A `Temporal.PlainDate`: a calendar date, of whatever calendar. */
export interface TemporalPlainDate {
  /** By which it is known. */
  readonly [Symbol.toStringTag]: "Temporal.PlainDate";
  /**
   * Its ISO 8601 text.
   *
   * @param options says that no calendar is named
   */
  toString(options: { readonly calendarName: "never" }): string;
}

/** What of Temporal is a point in time. A `PlainDateTime` is none: it names no time zone. */
export type TemporalPoint = TemporalInstant | TemporalZonedDateTime | TemporalPlainDate;

/**
 * A point of Temporal as the text that means the same: an instant in UTC, or a calendar date. Everything else as it is.
 *
 * They are known by their tag, not by their class: Node before 26 has no Temporal, and each polyfill has classes of its own.
 *
 * @throws ArgumentError for a `PlainDateTime` and all else of Temporal that is no point in time
 */
export function withoutTemporal<Point>(point: Point): Exclude<Point, TemporalPoint> | string {
  const tag: unknown = typeof point === "object" && point !== null ? Reflect.get(point, Symbol.toStringTag) : undefined;
  if (typeof tag !== "string" || !tag.startsWith("Temporal.")) return point as Exclude<Point, TemporalPoint>;
  const known = point as unknown as TemporalPoint;
  switch (known[Symbol.toStringTag]) {
    case "Temporal.Instant":
      return (known as TemporalInstant).toString();
    case "Temporal.ZonedDateTime":
      return (known as TemporalZonedDateTime).toInstant().toString();
    case "Temporal.PlainDate":
      return (known as TemporalPlainDate).toString({ calendarName: "never" });
    default:
      throw noPoint(tag, point);
  }
}

function noPoint(tag: string, value: unknown): ArgumentError {
  const shown = `${tag} ${showValue(String(value))}`;
  if (tag !== "Temporal.PlainDateTime") {
    return new ArgumentError(`${shown} ${NO_POINT}.`, {
      hint: "Give a Temporal.Instant, ZonedDateTime or PlainDate.",
    });
  }
  return new ArgumentError(`${shown} ${NO_ZONE}.`, {
    hint: 'Give .toZonedDateTime("Europe/Berlin"), or .toPlainDate() for the whole day.',
  });
}
