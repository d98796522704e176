import { Temporal } from "temporal-polyfill";
import { ArgumentError } from "../../core/errors.js";
import { type ExactUs, exactUs, exactUsOf, formatInstant } from "../../core/instant.js";
import { nearestName } from "../../core/nearest-name.js";
import { showValue } from "../../core/show-value.js";
import {
  isCalendarDate,
  type PlainPoint,
  resolveTimePoint,
  resolveTimeStart,
  type TimePoint,
  withoutTemporal,
} from "./valid-time.js";

/** Steps by name, or an ISO 8601 duration (`P14D`, `PT6H`). */
export type Step = "day" | "week" | "month" | "quarter" | "year" | (string & {});

/** The dates of a panel: a list, or steps from one date to another, which is included where a step falls on it. */
export type Grid =
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
      readonly to: TimePoint;
      /** From one date to the next. */
      readonly every: Step;
    };

/** A grid whose dates are known as times. */
export interface DateGrid {
  /** What was asked for, in that order; those of Temporal as texts. */
  readonly dates: readonly PlainPoint[];
  /** The last microsecond that each date includes, ascending. */
  readonly sortedUs: Float64Array;
  /** Place in `sortedUs` of each of `dates`. */
  readonly rank: Int32Array;
}

const namedSteps: Readonly<Record<string, string>> = {
  day: "P1D",
  week: "P7D",
  month: "P1M",
  quarter: "P3M",
  year: "P1Y",
};

/** A step has no smaller ones. */
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

/** More dates than this are a slip of the step. */
const MAX_DATES = 100_000;

/**
 * The times that a grid means.
 *
 * @throws ArgumentError for dates that do not exist, an end before the beginning, and steps that are none, not positive or below a day between
 * calendar dates
 */
export function resolveGrid(grid: Grid, timeZone: string): DateGrid {
  const dates = askedDates(grid, timeZone);
  const us = Float64Array.from(dates, (date) => resolveTimePoint(date, timeZone));
  const order = Array.from(us.keys()).sort((a, b) => (us[a] as number) - (us[b] as number));
  const rank = new Int32Array(us.length);
  order.forEach((place, sorted) => {
    rank[place] = sorted;
  });
  return { dates, sortedUs: us.sort(), rank };
}

/** The parts of a grid, one way or the other. */
const [ofDates, ofSteps] = [["dates"], ["from", "to", "every"]];

function askedDates(grid: Grid, timeZone: string): readonly PlainPoint[] {
  if (isList(grid)) return grid.map(withoutTemporal);
  const isObject = typeof grid === "object" && grid !== null;
  if (isObject && "dates" in grid && isList(grid.dates)) {
    requireParts(grid, ofDates);
    return grid.dates.map(withoutTemporal);
  }
  if (isObject && "every" in grid) {
    requireParts(grid, ofSteps);
    return steps(withoutTemporal(grid.from), withoutTemporal(grid.to), grid.every, timeZone);
  }
  throw new ArgumentError(`${showValue(grid)} is no grid of dates.`, {
    hint: 'Give ["2025-01-31"] or { from: "2025-01-31", to: "2025-12-31", every: "month" }.',
  });
}

/** An option of the call among the dates would be left out, and another answer be given than was asked for. */
function requireParts(grid: object, known: readonly string[]): void {
  const other = Object.entries(grid).find(([name, value]) => value !== undefined && !known.includes(name));
  if (!other) return;
  const [name] = other;
  const meant = nearestName(name, known);
  const behind = `Give options of the call behind the dates: counts("STATUS", dates, { ${name}: … }).`;
  const hint = [...ofDates, ...ofSteps].includes(name) ? "Give dates, or from, to and every." : behind;
  throw new ArgumentError(`A grid of ${known.join(", ")} has no ${showValue(name)}.`, {
    hint: meant === undefined ? hint : `Did you mean ${meant}?`,
    facts: { option: name },
  });
}

function isList(given: unknown): given is readonly TimePoint[] {
  return Array.isArray(given);
}

/** Every step is counted from `from`, so that a 31st comes back after the shorter months. */
function steps(from: PlainPoint, to: PlainPoint, every: Step, timeZone: string): PlainPoint[] {
  const step = resolveStep(every);
  const [start, end] = [resolveTimePoint(from, timeZone), resolveTimePoint(to, timeZone)];
  if (start > end) {
    throw new ArgumentError(`The grid ends at ${showValue(to)}, before it begins at ${showValue(from)}.`, {
      hint: "Give the earlier date as `from`.",
    });
  }
  const dateAt = isCalendarDate(from) ? calendarSteps(from, step) : instantSteps(from, start, step, timeZone);
  if ((end - start) / longestUs(step) > MAX_DATES) {
    throw new ArgumentError(`${showValue(every)} is too small a step: the grid has more than ${MAX_DATES} dates.`);
  }
  const dates: PlainPoint[] = [];
  for (;;) {
    const date = dateAt(dates.length);
    if (date === undefined || resolveTimePoint(date, timeZone) > end) return dates;
    dates.push(date);
  }
}

/** An interval between two dates of a grid. */
export interface GridInterval {
  readonly from: PlainPoint;
  /** Excluded. */
  readonly to: PlainPoint;
  /** Its first microsecond. */
  readonly startUs: number;
  /** The first microsecond behind it. */
  readonly endUs: number;
}

/** Where intervals begin, how long they are, and the last microsecond that one of them has. */
export interface IntervalSteps {
  readonly from: TimePoint;
  readonly every: Step;
  readonly lastUs: number;
}

/**
 * Intervals that follow one another from a date on.
 *
 * @throws ArgumentError for a date that does not exist or is behind the end, and for steps as `resolveGrid`
 */
export function gridIntervals({ from, every, lastUs }: IntervalSteps, timeZone: string): readonly GridInterval[] {
  const first = withoutTemporal(from);
  const step = resolveStep(every);
  const firstUs = resolveTimeStart(first, timeZone);
  if (firstUs > lastUs) {
    throw new ArgumentError(
      `The intervals begin at ${showValue(first)}, after their end at ${formatInstant(lastUs)}.`,
      {
        hint: "Give an earlier `from`, or a later end.",
      },
    );
  }
  const dateAt = isCalendarDate(first)
    ? calendarSteps(first, step)
    : instantSteps(first, resolveTimePoint(first, timeZone), step, timeZone);
  if ((lastUs - firstUs) / longestUs(step) > MAX_DATES) {
    throw new ArgumentError(`${showValue(every)} is too small a step: there are more than ${MAX_DATES} intervals.`);
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

/** The calendar date from which steps are counted that has a time in the first of them: a Monday, the first of a month or year. */
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

/** The most microseconds that a step can take. */
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
    // Said below.
  }
  throw new ArgumentError(`${showValue(every)} is no step between dates.`, {
    hint: 'Give "day", "week", "month", "quarter", "year" or a positive ISO 8601 duration such as "P14D".',
  });
}

/** The date after so many steps; undefined after the year 9999, which no text can name. */
type DateAt = (count: number) => PlainPoint | undefined;

function calendarSteps(from: string, step: Temporal.Duration): DateAt {
  const first = Temporal.PlainDate.from(from);
  const { years, months, weeks, days } = step;
  if (Temporal.Duration.from({ years, months, weeks, days }).toString() !== step.toString()) {
    throw new ArgumentError(`Calendar dates cannot be ${step} apart.`, {
      hint: `Give an instant to start from, for example ${showValue(`${from}T00:00:00Z`)}.`,
    });
  }
  return (count) => {
    const date = first.add(times(step, count));
    return date.year > 9999 ? undefined : date.toString();
  };
}

/** Steps of days and more keep the hour that clocks in `timeZone` show. Dates stay `Date`s, texts come in UTC. */
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

/** Finds the first of many ascending times that is not before a given one, in about constant time. */
export class DateLocator {
  readonly #count: number;
  /** The times, and one that nothing is after. */
  readonly #sortedUs: Float64Array;
  readonly #firstUs: number;
  readonly #perUs: number;
  /** First time in each bucket or after; the span of times is cut into equal buckets. */
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

  /** Index of the first time at or after a time; `count` if there is none. */
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

  /** Bucket of a time; the first and the last one reach to all earlier and later times. */
  #bucketOf(us: number): number {
    return Math.min(Math.max((us - this.#firstUs) * this.#perUs, 0), this.#buckets.length - 1) | 0;
  }
}
