// Cumulative working time by day, for lookups in memory and in SQL.
import { US_PER_DAY } from "../../core/instant.js";

/** Billionths of a working day: integers are summed without rounding, in every engine. */
export const NANO_PER_DAY = 1e9;

/** Start and end of hours: microseconds, of a day in local time or since 1970. */
export type WorkInterval = readonly [start: number, end: number];

/** The working time of a day. */
export interface WorkedDay {
  readonly intervals: readonly WorkInterval[];
  /** Total length of its intervals, in microseconds. */
  readonly length: number;
  /** Length of a full day on this date. */
  readonly whole: number;
}

/** Working days that have hours in a UTC day. Times are microseconds since its start. */
export interface DayPattern {
  /**
   * Each with its hours, which may begin before the UTC day and end after it, and the length of a full day in
   * microseconds.
   */
  readonly days: readonly { readonly intervals: readonly WorkInterval[]; readonly whole: number }[];
}

/** The working time before each UTC day and on it: a length needs two lookups. */
export class Ledger {
  /** Days since 1970; `endDay` is excluded. */
  readonly firstDay: number;
  readonly endDay: number;
  /** Distinct patterns of UTC days. */
  readonly patterns: readonly DayPattern[];
  /** By day: its index among the patterns. */
  readonly patternOf: Int32Array;
  /** By day: the time worked on all working days that had ended at its start, since the first. */
  readonly usBefore: Float64Array;
  readonly nanoBefore: Float64Array;

  constructor(firstDay: number, endDay: number, days: readonly WorkedDay[]) {
    const count = endDay - firstDay;
    [this.firstDay, this.endDay] = [firstDay, endDay];
    [this.usBefore, this.nanoBefore] = [new Float64Array(count + 1), new Float64Array(count + 1)];
    this.patternOf = new Int32Array(count);
    const lists: WorkedDay[][] = Array.from({ length: count }, () => []);
    for (const day of days) {
      const [from, to] = [
        dayOf((day.intervals[0] as WorkInterval)[0]),
        dayOf((day.intervals.at(-1) as WorkInterval)[1] - 1),
      ];
      for (let utc = Math.max(from, firstDay); utc <= Math.min(to, endDay - 1); utc += 1)
        lists[utc - firstDay]?.push(day);
      const ended = to + 1 - firstDay;
      if (ended < 0 || ended > count) continue;
      (this.usBefore[ended] as number) += day.length;
      (this.nanoBefore[ended] as number) += Math.round((day.length * NANO_PER_DAY) / day.whole);
    }
    const [patterns, indexes] = [[] as DayPattern[], new Map<string, number>()];
    for (let day = 0; day < count; day += 1) {
      if (day > 0) {
        (this.usBefore[day] as number) += this.usBefore[day - 1] as number;
        (this.nanoBefore[day] as number) += this.nanoBefore[day - 1] as number;
      }
      const midnight = (firstDay + day) * US_PER_DAY;
      const pattern = (lists[day] as WorkedDay[]).map(({ intervals, whole }) => ({
        intervals: intervals.map(([start, end]) => [start - midnight, end - midnight] as const),
        whole,
      }));
      const key = JSON.stringify(pattern);
      const index = indexes.get(key) ?? patterns.push({ days: pattern }) - 1;
      indexes.set(key, index);
      this.patternOf[day] = index;
    }
    this.patterns = patterns;
  }

  /** Working time before a time in a covered day, in microseconds. */
  usAt(us: number): number {
    const day = dayOf(us);
    const rest = us - day * US_PER_DAY;
    const { days } = this.patterns[this.patternOf[day - this.firstDay] as number] as DayPattern;
    let sum = this.usBefore[day - this.firstDay] as number;
    for (const { intervals } of days) sum += lengthBefore(intervals, rest);
    return sum;
  }

  /** The same in billionths of days. */
  nanoAt(us: number): number {
    const day = dayOf(us);
    const rest = us - day * US_PER_DAY;
    const { days } = this.patterns[this.patternOf[day - this.firstDay] as number] as DayPattern;
    let sum = this.nanoBefore[day - this.firstDay] as number;
    for (const { intervals, whole } of days) sum += Math.round((lengthBefore(intervals, rest) * NANO_PER_DAY) / whole);
    return sum;
  }
}

function lengthBefore(intervals: readonly WorkInterval[], us: number): number {
  let length = 0;
  for (const [start, end] of intervals) if (us > start) length += Math.min(us, end) - start;
  return length;
}

export function lengthOf(intervals: readonly WorkInterval[]): number {
  return intervals.reduce((sum, [start, end]) => sum + end - start, 0);
}

/** The UTC day of a time, since 1970. */
export function dayOf(us: number): number {
  return Math.floor(us / US_PER_DAY);
}
