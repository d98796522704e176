import { Temporal } from "temporal-polyfill";
import { calendarPeriod } from "../../core/calendar-period.js";
import { ArgumentError } from "../../core/errors.js";
import { formatInstant } from "../../core/format/format-date.js";
import { type ExactUs, exactUs, exactUsOf, MS_PER_DAY } from "../../core/instant.js";
import { nearestName } from "../../core/nearest-name.js";
import { showValue } from "../../core/show-value.js";
import {
  isCalendarPeriod,
  type PlainPoint,
  resolveTimePoint,
  resolveTimeStart,
  startingDay,
  type TimePoint,
  weekText,
  withoutTemporal,
} from "./valid-time.js";

/** Steps by name, or an ISO 8601 duration (`P14D`, `PT6H`). */
export type Step = "day" | "week" | "month" | "quarter" | "year" | (string & {});

/** Dates: a list, or steps from one date to another, which is included if a step falls on it. */
export type Dates =
  /** The dates, in any order. */
  | readonly TimePoint[]
  | {
      /** The dates, in any order. */
      readonly dates: readonly TimePoint[];
    }
  | {
      /** The first date. Steps are counted from it. */
      readonly from: TimePoint;
      /** The last date, if a step falls on it. */
      readonly until: TimePoint;
      /** Step from one date to the next. */
      readonly every: Step;
    };

/** Dates resolved as times. */
export interface DateGrid {
  /** The requested dates, in that order; Temporal values as strings. */
  readonly dates: readonly PlainPoint[];
  /** Last microsecond of each date, ascending. */
  readonly sortedUs: Float64Array;
  /** Index in `sortedUs` of each of `dates`. */
  readonly rank: Int32Array;
}

const namedSteps: Readonly<Record<string, string>> = {
  day: "P1D",
  week: "P7D",
  month: "P1M",
  quarter: "P3M",
  year: "P1Y",
};

/** Steps have no smaller units. */
const units = [
  "years",
  "months",
  "weeks",
  "days",
  "hours",
  "minutes",
  "seconds",
  "milliseconds",
  "microseconds",
] as const;

/** More dates than this suggest a mistake in the step. */
const MAX_DATES = 100_000;

/**
 * Resolves dates as times.
 *
 * @throws ArgumentError for invalid dates, an end before the beginning, and steps that are invalid, not positive, or
 * below a day between calendar dates
 */
export function resolveGrid(grid: Dates, timeZone: string): DateGrid {
  const dates = askedDates(grid, timeZone);
  const us = Float64Array.from(dates, (date) => resolveTimePoint(date, timeZone));
  const order = Array.from(us.keys()).sort((a, b) => (us[a] as number) - (us[b] as number));
  const rank = new Int32Array(us.length);
  order.forEach((index, sorted) => {
    rank[index] = sorted;
  });
  return { dates, sortedUs: us.sort(), rank };
}

/** The names of the two forms of dates. */
const [ofDates, ofSteps] = [["dates"], ["from", "until", "every"]];

function askedDates(grid: Dates, timeZone: string): readonly PlainPoint[] {
  if (isList(grid)) return grid.map(withoutTemporal);
  const isObject = typeof grid === "object" && grid !== null;
  if (isObject && "dates" in grid && isList(grid.dates)) {
    requireParts(grid, ofDates);
    return grid.dates.map(withoutTemporal);
  }
  if (isObject && "every" in grid) {
    requireParts(grid, ofSteps);
    return steps(withoutTemporal(grid.from), withoutTemporal(grid.until), grid.every, timeZone);
  }
  throw new ArgumentError(`Invalid dates ${showValue(grid)}.`, {
    hint: 'Pass ["2025-01-31"] or { from: "2025-01-31", until: "2025-12-31", every: "month" }.',
  });
}

/** Options of the call inside the object of dates would be ignored, giving a wrong answer. */
function requireParts(grid: object, parts: readonly string[]): void {
  const other = Object.entries(grid).find(([name, value]) => value !== undefined && !parts.includes(name));
  if (!other) return;
  const [name] = other;
  const meant = nearestName(name, parts);
  const behind = `Pass options of the call after the dates: counts("STATUS", dates, { ${name}: … }).`;
  const hint = [...ofDates, ...ofSteps].includes(name) ? "Pass either dates, or from, until and every." : behind;
  throw new ArgumentError(`Unknown option ${showValue(name)} of the dates.`, {
    hint: meant === undefined ? hint : `Did you mean ${meant}?`,
    facts: { option: name },
  });
}

function isList(given: unknown): given is readonly TimePoint[] {
  return Array.isArray(given);
}

/**
 * Every step is counted from `from`, so that a 31st comes back after the shorter months. Steps of whole weeks from an ISO
 * week are weeks; other steps from a week are days from its Monday.
 */
function steps(from: PlainPoint, to: PlainPoint, every: Step, timeZone: string): PlainPoint[] {
  const step = resolveStep(every);
  const [given, end] = [resolveTimePoint(from, timeZone), resolveTimePoint(to, timeZone)];
  const first = isCalendarPeriod(from) && !isWholeWeeks(from, step) ? startingDay(from) : from;
  const start = first === from ? given : resolveTimePoint(first, timeZone);
  if (start > end) {
    throw new ArgumentError(`\`until\` is ${showValue(to)}, before \`from\`, ${showValue(from)}.`, {
      hint: "Pass the earlier date as `from`.",
    });
  }
  const dateAt = isCalendarPeriod(first) ? calendarSteps(first, step) : instantSteps(first, start, step, timeZone);
  if ((end - start) / longestUs(step) > MAX_DATES) {
    throw new ArgumentError(`\`every\` is ${showValue(every)}, which is more than ${MAX_DATES} dates.`, {
      hint: 'Use a longer step: { every: "week" }.',
    });
  }
  const dates: PlainPoint[] = [];
  for (;;) {
    const date = dateAt(dates.length);
    if (date === undefined || resolveTimePoint(date, timeZone) > end) return dates;
    dates.push(date);
  }
}

/** An interval between two dates. */
export interface GridInterval {
  readonly from: PlainPoint;
  /** Excluded. */
  readonly to: PlainPoint;
  /** Its first microsecond. */
  readonly startUs: number;
  /** The first microsecond after it. */
  readonly endUs: number;
}

/** The start of intervals, their length, and the last microsecond to cover. */
export interface IntervalSteps {
  readonly from: TimePoint;
  readonly every: Step;
  readonly lastUs: number;
}

/**
 * Consecutive intervals from a date on.
 *
 * @throws ArgumentError for an invalid date or one after the end, and for steps as `resolveGrid`
 */
export function gridIntervals({ from, every, lastUs }: IntervalSteps, timeZone: string): readonly GridInterval[] {
  const step = resolveStep(every);
  const firstUs = resolveTimeStart(from, timeZone);
  const first = startingDay(withoutTemporal(from));
  if (firstUs > lastUs) {
    throw new ArgumentError(
      `The first interval starts at ${showValue(first)}, after the end of the last one, ${formatInstant(lastUs)}.`,
      {
        hint: "Use an earlier `from`, or a later end.",
      },
    );
  }
  const dateAt = isCalendarPeriod(first)
    ? calendarSteps(first, step)
    : instantSteps(first, resolveTimePoint(first, timeZone), step, timeZone);
  if ((lastUs - firstUs) / longestUs(step) > MAX_DATES) {
    throw new ArgumentError(`\`every\` is ${showValue(every)}, which is more than ${MAX_DATES} intervals.`, {
      hint: 'Use a longer step: { every: "week" }.',
    });
  }
  const intervals: GridInterval[] = [];
  for (let [start, startUs] = [first, firstUs]; startUs <= lastUs; ) {
    const end = dateAt(intervals.length + 1);
    if (end === undefined) return intervals;
    const endUs = resolveTimeStart(end, timeZone);
    intervals.push({ from: start, to: end, startUs, endUs });
    [start, startUs] = [end, endUs];
  }
  return intervals;
}

/**
 * The calendar date to count steps from so that the first one contains a time: a Monday, or the first day of a month or
 * year.
 */
export function firstDayOf(us: number, every: Step, timeZone: string): string {
  const { years, months, weeks, days } = resolveStep(every);
  const day = Temporal.Instant.fromEpochMilliseconds(Math.floor(us / 1000))
    .toZonedDateTimeISO(timeZone)
    .toPlainDate();
  if (years > 0) return day.with({ month: 1, day: 1 }).toString();
  if (months > 0) return day.with({ month: day.month - ((day.month - 1) % gcd(months, 12)), day: 1 }).toString();
  if (weeks > 0 || (days > 0 && days % 7 === 0)) return day.subtract({ days: day.dayOfWeek - 1 }).toString();
  return day.toString();
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/** Maximum length of a step in microseconds. */
function longestUs(step: Temporal.Duration): number {
  const { years, months, weeks, days, hours, minutes, seconds, milliseconds, microseconds } = step;
  const wholeDays = years * 366 + months * 31 + weeks * 7 + days;
  const wholeSeconds = ((wholeDays * 24 + hours) * 60 + minutes) * 60 + seconds;
  return wholeSeconds * 1_000_000 + milliseconds * 1000 + microseconds;
}

function resolveStep(every: Step): Temporal.Duration {
  try {
    const step = Temporal.Duration.from(namedSteps[every] ?? every);
    if (step.sign > 0 && step.nanoseconds === 0) return step;
  } catch {
    // Reported below.
  }
  throw new ArgumentError(`Invalid step ${showValue(every)} in \`every\`.`, {
    hint: 'Use "day", "week", "month", "quarter", "year" or a positive ISO 8601 duration such as "P14D".',
  });
}

/** The date after a number of steps; undefined after the year 9999, which strings cannot express. */
type DateAt = (count: number) => PlainPoint | undefined;

function calendarSteps(from: string, step: Temporal.Duration): DateAt {
  const { firstDay, days: length } = calendarPeriod(from) ?? { firstDay: Number.NaN, days: 1 };
  const first = Temporal.PlainDate.from("1970-01-01").add({ days: firstDay });
  const { years, months, weeks, days } = step;
  if (Temporal.Duration.from({ years, months, weeks, days }).toString() !== step.toString()) {
    throw new ArgumentError(`\`every\` is ${step}, but \`from\` is a calendar date without a time.`, {
      hint: `Start from an instant: { from: ${showValue(`${from}T00:00:00Z`)} }.`,
    });
  }
  return (count) => {
    const date = first.add(times(step, count));
    if (date.year > 9999) return undefined;
    return length === 1 ? date.toString() : weekText(Date.parse(date.toString()) / MS_PER_DAY);
  };
}

function isWholeWeeks(from: string, step: Temporal.Duration): boolean {
  const { weeks, days } = step;
  const length = calendarPeriod(from)?.days ?? 1;
  return Temporal.Duration.from({ weeks, days }).toString() === step.toString() && (weeks * 7 + days) % length === 0;
}

/** Steps of days or more keep the local hour in `timeZone`. Dates stay `Date`s, strings are returned in UTC. */
function instantSteps(from: PlainPoint, startUs: number, step: Temporal.Duration, timeZone: string): DateAt {
  const first = Temporal.Instant.fromEpochNanoseconds(BigInt(startOf(from, startUs)) * 1000n).toZonedDateTimeISO(
    timeZone,
  );
  return (count) => {
    const date = first.add(times(step, count));
    if (from instanceof Date) return new Date(date.epochMilliseconds);
    return date.year > 9998 ? undefined : formatInstant(date.epochNanoseconds / 1000n).replace(".000Z", "Z");
  };
}

function startOf(from: PlainPoint, startUs: number): ExactUs {
  return from instanceof Date ? exactUsOf(from) : (exactUs(from) ?? startUs);
}

function times(step: Temporal.Duration, count: number): Temporal.Duration {
  return Temporal.Duration.from(Object.fromEntries(units.map((unit) => [unit, step[unit] * count])));
}

/** Finds the first of many ascending times at or after a given one, in about constant time. */
export class DateLocator {
  readonly #count: number;
  /** The times, followed by Infinity. */
  readonly #sortedUs: Float64Array;
  readonly #firstUs: number;
  readonly #perUs: number;
  /** First time in or after each bucket; the buckets have equal widths. */
  readonly #buckets: Int32Array;

  constructor(sortedUs: Float64Array) {
    this.#count = sortedUs.length;
    this.#sortedUs = new Float64Array(this.#count + 1).fill(Number.POSITIVE_INFINITY);
    this.#sortedUs.set(sortedUs);
    this.#firstUs = sortedUs.at(0) ?? 0;
    const spanUs = (sortedUs.at(-1) ?? 0) - this.#firstUs;
    this.#buckets = new Int32Array(4 * this.#count + 1);
    this.#perUs = spanUs > 0 ? (4 * this.#count) / spanUs : 0;
    let date = 0;
    for (let bucket = 0; bucket < this.#buckets.length; bucket += 1) {
      while (date < this.#count && this.#bucketOf(sortedUs[date] as number) < bucket) date += 1;
      this.#buckets[bucket] = date;
    }
  }

  /** Index of the first time at or after a time; `count` if all are before. */
  locate(us: number): number {
    let date = this.#buckets[this.#bucketOf(us)] as number;
    while ((this.#sortedUs[date] ?? us) < us) date += 1;
    return date;
  }

  /** `locate` for many times. */
  locateAll(timesUs: Float64Array): Int32Array {
    const dates = new Int32Array(timesUs.length);
    for (let i = 0; i < timesUs.length; i += 1) dates[i] = this.locate(timesUs[i] as number);
    return dates;
  }

  /** Bucket of a time; the first and the last one include all earlier and later times. */
  #bucketOf(us: number): number {
    return Math.min(Math.max((us - this.#firstUs) * this.#perUs, 0), this.#buckets.length - 1) | 0;
  }
}
