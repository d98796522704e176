import { Temporal } from "temporal-polyfill";
import { calendarPeriod, isCalendarText, isoYearOf, mondayOf, weekParts } from "../../core/calendar-period.js";
import { ArgumentError } from "../../core/errors.js";
import { formatDay, formatInstant, inUtc } from "../../core/format/format-date.js";
import { exactUs, exactUsOf, MS_PER_DAY, parseInstant, US_PER_DAY, whyNoDay } from "../../core/instant.js";
import { showValue } from "../../core/show-value.js";

/**
 * A point in valid time: a `Date`, an ISO 8601 instant, a calendar date, which means the whole of that day, or an ISO
 * week (`2025-W27`), which means the whole week from Monday to Sunday. Temporal's `Instant` and `ZonedDateTime` are
 * instants, and its `PlainDate` is a calendar date.
 */
export type TimePoint = PlainPoint | TemporalPoint;

/** A point in time that is not a Temporal value. */
export type PlainPoint = Date | string;

/** Messages about an invalid point in time, and about a value that needs a time zone. */
export const NO_POINT = "is not a valid time";
export const TIME_HINT =
  'Use a Date, an instant with its zone ("2025-06-30T12:00:00Z"), a calendar date ("2025-06-30") or an ISO week ("2025-W27").';
export const NO_ZONE = "has no time zone";

/** The beginning of a hint about the time that an SQL query must return. */
export function giveTime(timeZone: string): string {
  return `Use a calendar date or ISO week, which includes the whole day or week in ${timeZone}, or an instant with its zone`;
}

/** Whether a point has the form of a calendar date or an ISO week, which may not exist. */
export function isCalendarPeriod(point: PlainPoint): point is string {
  return typeof point === "string" && isCalendarText(point);
}

/**
 * The calendar date with the same end as a point in time: the Sunday of an ISO week. Other points are returned
 * unchanged.
 *
 * @throws ArgumentError for a week that does not exist
 */
export function endingDay<Point>(point: Point): Point | string {
  return typeof point === "string" && isCalendarText(point) ? dayText(lastDay(point)) : point;
}

/**
 * The calendar date with the same start as a point in time: the Monday of an ISO week. Other points are returned
 * unchanged.
 *
 * @throws ArgumentError for a week that does not exist
 */
export function startingDay<Point>(point: Point): Point | string {
  return typeof point === "string" && isCalendarText(point) ? dayText(periodOf(point).firstDay) : point;
}

/**
 * The last microsecond of a point in time.
 *
 * A calendar date includes everything before the next midnight in `timeZone`, an ISO week everything before the next
 * Monday; an instant includes itself.
 *
 * @returns microseconds since 1970
 * @throws ArgumentError for a value that is not a date or instant, or that does not exist (`2025-02-30`)
 */
export function resolveTimePoint(given: TimePoint, timeZone: string): number {
  const point = withoutTemporal(given);
  return isCalendarPeriod(point) ? endOfPeriod(point, timeZone) - 1 : instantOf(point);
}

/**
 * The end of a point in time, excluded: the next midnight after a calendar date or week, an instant itself. Lengths of
 * time are counted up to here.
 *
 * @returns microseconds since 1970
 * @throws ArgumentError as `resolveTimePoint`
 */
export function resolveTimeEnd(given: TimePoint, timeZone: string): number {
  const point = withoutTemporal(given);
  return isCalendarPeriod(point) ? endOfPeriod(point, timeZone) : instantOf(point);
}

/**
 * The first microsecond of a point in time: the first midnight of a calendar date or week in `timeZone`, else the
 * instant.
 *
 * @returns microseconds since 1970
 * @throws ArgumentError as `resolveTimePoint`
 */
export function resolveTimeStart(given: TimePoint, timeZone: string): number {
  const point = withoutTemporal(given);
  return isCalendarPeriod(point) ? midnight(periodOf(point).firstDay, timeZone) : instantOf(point);
}

/** The end of a question. */
export interface TimeLimit {
  /** The last microsecond that counts. */
  readonly lastUs: number;
  /** Time at which lengths are cut: the same for an instant, the next microsecond for a calendar date or week. */
  readonly endUs: number;
}

/**
 * Both ends of a point in time. Questions `until` a point see the same as `asOf`: `lastUs` decides what counts, and
 * `endUs` how long it lasted.
 *
 * @throws ArgumentError as `resolveTimePoint`
 */
export function resolveTimeLimit(given: TimePoint, timeZone: string): TimeLimit {
  return { lastUs: resolveTimePoint(given, timeZone), endUs: resolveTimeEnd(given, timeZone) };
}

/** A point in time as ISO 8601: a date or week, followed by its time zone if that is not UTC (RFC 9557), or an instant. */
export function timePointText(given: TimePoint, timeZone: string): string {
  const point = withoutTemporal(given);
  if (!isCalendarPeriod(point)) return exactText(point);
  return timeZone === "UTC" ? point : `${point}[${timeZone}]`;
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

/** The end of a calendar date or week, excluded. */
function endOfPeriod(text: string, timeZone: string): number {
  return midnight(lastDay(text) + 1, timeZone);
}

function lastDay(text: string): number {
  const { firstDay, days } = periodOf(text);
  return firstDay + days - 1;
}

function periodOf(text: string) {
  const period = calendarPeriod(text);
  if (!period) throw noTime(text);
  return period;
}

/** Start of a day, counted from 1970. */
function midnight(day: number, timeZone: string): number {
  if (timeZone === "UTC") return day * US_PER_DAY;
  return FIRST_DAY.add({ days: day }).toZonedDateTime(timeZone).epochMilliseconds * 1000;
}

const FIRST_DAY = Temporal.PlainDate.from("1970-01-01");

function dayText(day: number): string {
  return formatDay(day * MS_PER_DAY, inUtc);
}

function noTime(point: unknown): ArgumentError {
  return new ArgumentError(`Invalid time ${showValue(point)}${whyNoPeriod(point)}.`, {
    hint: weekHint(point) ?? TIME_HINT,
  });
}

/** A `Temporal.Instant`, of any engine or polyfill. */
export interface TemporalInstant {
  /** Identifies the class. */
  readonly [Symbol.toStringTag]: "Temporal.Instant";
  /** Its ISO 8601 text in UTC. */
  toString(): string;
}

/** A `Temporal.ZonedDateTime`, used as its instant. Its zone is ignored, because it is not a calendar date. */
export interface TemporalZonedDateTime {
  /** Identifies the class. */
  readonly [Symbol.toStringTag]: "Temporal.ZonedDateTime";
  /** Returns its instant. */
  toInstant(): TemporalInstant;
}

/** A `Temporal.PlainDate`: a calendar date, in any calendar. */
export interface TemporalPlainDate {
  /** Identifies the class. */
  readonly [Symbol.toStringTag]: "Temporal.PlainDate";
  /**
   * Its ISO 8601 text.
   *
   * @param options omits the name of the calendar
   */
  toString(options: { readonly calendarName: "never" }): string;
}

/** Temporal values that are points in time. A `PlainDateTime` is not: it has no time zone. */
export type TemporalPoint = TemporalInstant | TemporalZonedDateTime | TemporalPlainDate;

/**
 * A Temporal value as the equivalent string: an instant in UTC, or a calendar date. Other values are returned
 * unchanged.
 *
 * Temporal values are recognized by their tag instead of their class: Node before 26 has no Temporal, and each polyfill
 * has its own classes.
 *
 * @throws ArgumentError for a `PlainDateTime` and other Temporal values that are not points in time
 */
export function withoutTemporal<Point>(point: Point): Exclude<Point, TemporalPoint> | string {
  const tag: unknown = typeof point === "object" && point !== null ? Reflect.get(point, Symbol.toStringTag) : undefined;
  if (typeof tag !== "string" || !tag.startsWith("Temporal.")) return point as Exclude<Point, TemporalPoint>;
  const temporal = point as unknown as TemporalPoint;
  switch (temporal[Symbol.toStringTag]) {
    case "Temporal.Instant":
      return (temporal as TemporalInstant).toString();
    case "Temporal.ZonedDateTime":
      return (temporal as TemporalZonedDateTime).toInstant().toString();
    case "Temporal.PlainDate":
      return (temporal as TemporalPlainDate).toString({ calendarName: "never" });
    default:
      throw noPoint(tag, point);
  }
}

function noPoint(tag: string, value: unknown): ArgumentError {
  const quoted = `${tag} ${showValue(String(value))}`;
  if (tag !== "Temporal.PlainDateTime") {
    return new ArgumentError(`${quoted} ${NO_POINT}.`, {
      hint: "Use a Temporal.Instant, ZonedDateTime or PlainDate.",
    });
  }
  return new ArgumentError(`${quoted} ${NO_ZONE}.`, {
    hint: 'Use .toZonedDateTime("Europe/Berlin"), or .toPlainDate() for the whole day.',
  });
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

function weeksOf(year: number): number {
  return (mondayOf(year + 1, 1) - mondayOf(year, 1)) / 7;
}

function padded(year: number): string {
  return String(year).padStart(4, "0");
}
