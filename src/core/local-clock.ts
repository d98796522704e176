import { binarySearch } from "./binary-search.js";
import { MS_PER_DAY, US_PER_DAY, US_PER_HOUR } from "./instant.js";

/** An interval of equal offset from UTC. */
export interface OffsetInterval {
  readonly fromUs: number;
  /** Excluded. */
  readonly toUs: number;
  readonly offsetUs: number;
}

/** Local times in a time zone for many instants: the calendar is used once per interval of equal offset. */
export class LocalClock {
  readonly #zone: Zone;
  #last: OffsetInterval | undefined;

  constructor(timeZone: string) {
    const zone = zones.get(timeZone) ?? { offsetAt: offsetsOf(timeZone), intervals: [] };
    zones.set(timeZone, zone);
    this.#zone = zone;
  }

  /** Offset of local time from UTC at an instant, in microseconds. */
  offsetUs(us: number): number {
    return this.#spanAt(us).offsetUs;
  }

  /** The calendar date at an instant: `2025-06-30`. */
  date(us: number): string {
    const [date = ""] = new Date(Math.floor((us + this.#spanAt(us).offsetUs) / 1000)).toISOString().split("T");
    // In the east, the end of 9999 is in 10000, which SQL writes without a sign.
    return date.replace(/^\+0*/, "");
  }

  /** Hour of the ISO week at an instant: 0 is Monday from midnight to one. */
  hourOfWeek(us: number): number {
    const hours = Math.floor((us + this.#spanAt(us).offsetUs) / US_PER_HOUR);
    // 1970 began on a Thursday.
    return (((hours + 3 * 24) % 168) + 168) % 168;
  }

  /**
   * The instant of a local time: the first occurrence in a DST overlap; times in a DST gap move forward by the gap.
   *
   * @param localUs local time, in microseconds since 1970 as if it were UTC
   */
  instantOf(localUs: number): number {
    // Offsets are below a day, and change at most once in two days.
    const before = this.#spanAt(localUs - US_PER_DAY).offsetUs;
    const after = this.#spanAt(localUs + US_PER_DAY).offsetUs;
    const isThen = (offsetUs: number) => this.#spanAt(localUs - offsetUs).offsetUs === offsetUs;
    return localUs - (isThen(before) || !isThen(after) ? before : after);
  }

  /** The intervals of equal offset from the interval of a time to that of a later time. */
  offsetsBetween(firstUs: number, lastUs: number): readonly OffsetInterval[] {
    const intervals: OffsetInterval[] = [];
    for (let us = firstUs; us <= lastUs; us = intervals.at(-1)?.toUs ?? Number.POSITIVE_INFINITY)
      intervals.push(this.#spanAt(us));
    return intervals;
  }

  #spanAt(us: number): OffsetInterval {
    const holds = (interval: OffsetInterval) => interval.fromUs <= us && us < interval.toUs;
    if (this.#last && holds(this.#last)) return this.#last;
    const { intervals } = this.#zone;
    const index = binarySearch(intervals.length, (index) => (intervals[index] as OffsetInterval).fromUs <= us);
    const interval = intervals[index - 1];
    this.#last = interval && holds(interval) ? interval : this.#askCalendar(us, index);
    return this.#last;
  }

  /** @param index its index among the known ones */
  #askCalendar(us: number, index: number): OffsetInterval {
    const { offsetAt, intervals } = this.#zone;
    const ms = Math.floor(us / 1000);
    const here = offsetAt(ms);
    const interval = {
      fromUs: intervals[index - 1]?.toUs === us ? us : firstBefore(offsetAt, ms, here) * 1000,
      toUs: firstAfter(offsetAt, ms, here) * 1000,
      offsetUs: here * 1000,
    };
    intervals.splice(index, 0, interval);
    return interval;
  }
}

/** Offset of local time from UTC, in milliseconds, at a time in milliseconds. */
type OffsetAt = (ms: number) => number;

/** Known offsets of a time zone, shared by all users. */
interface Zone {
  readonly offsetAt: OffsetAt;
  /** Ascending. */
  readonly intervals: OffsetInterval[];
}

const zones = new Map<string, Zone>();

/** Before the first date, clocks followed the sun; after the second, the current rules of every zone repeat forever. */
const [FIRST_MS, LAST_MS] = [Date.UTC(1830, 0, 1), Date.UTC(2040, 0, 1)];
/** The shortest DST period was that of Roraima in 2000: a week. */
const STEP_MS = 6 * MS_PER_DAY;

/** Uses only `Intl`, so that importing a calendar does not load Temporal. */
function offsetsOf(timeZone: string): OffsetAt {
  const fixed = /^([+-])(\d\d):?(\d\d)?(?::?(\d\d))?$/.exec(timeZone);
  if (fixed) {
    const ms = readOffset(fixed);
    return () => ms;
  }
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  if (format.resolvedOptions().timeZone === "UTC") return () => 0;
  return (ms) => {
    const text = format.format(ms);
    const match = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text);
    return match ? readOffset(match) : 0;
  };
}

function readOffset([, sign, hours, minutes, seconds]: readonly (string | undefined)[]): number {
  const [h, m, s] = [hours, minutes, seconds].map((part) => Number(part ?? "0")) as [number, number, number];
  return (sign === "-" ? -1 : 1) * ((h * 60 + m) * 60 + s) * 1000;
}

/** The first later millisecond with another offset; Infinity for none. */
function firstAfter(offsetAt: OffsetAt, ms: number, offset: number): number {
  const end = Math.max(ms, LAST_MS) + 2 * 366 * MS_PER_DAY;
  for (let [same, next] = [ms, Math.max(ms, FIRST_MS)]; same < end; [same, next] = [next, next + STEP_MS]) {
    if (offsetAt(next) !== offset) return transition(offsetAt, same, next, offset);
  }
  return Number.POSITIVE_INFINITY;
}

/** The first millisecond of the offset at a time; −Infinity if it always was the same. */
function firstBefore(offsetAt: OffsetAt, ms: number, offset: number): number {
  for (let [same, before] = [ms, ms - STEP_MS]; same > FIRST_MS; [same, before] = [before, before - STEP_MS]) {
    if (offsetAt(before) !== offset) return transition(offsetAt, before, same, offsetAt(before));
  }
  return Number.NEGATIVE_INFINITY;
}

/** The time at which the offset of the earlier time ends. */
function transition(offsetAt: OffsetAt, earlier: number, later: number, offset: number): number {
  let [same, other] = [earlier, later];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetAt(middle) === offset) same = middle;
    else other = middle;
  }
  return other;
}
