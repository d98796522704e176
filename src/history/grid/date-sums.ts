import { requireCells } from "../answer-size.js";
import type { DeltaSink } from "./sweep-dates.js";

/**
 * Sums of numbers by group and date, from steps like those of `DateTally`. Compensated summation (Neumaier 1974) makes
 * values that are added and subtracted again cancel almost exactly.
 */
export class DateSums {
  readonly #width: number;
  readonly #high: Float64Array;
  readonly #low: Float64Array;

  /**
   * @param call the call as users write it: `totals()`
   * @throws ArgumentError if the groups and dates need too much memory
   */
  constructor(call: string, groupCount: number, dateCount: number) {
    requireCells(call, groupCount, dateCount);
    this.#width = dateCount + 1;
    this.#high = new Float64Array(groupCount * this.#width);
    this.#low = new Float64Array(groupCount * this.#width);
  }

  /** Adds a number to a group from a date on. The number of dates as index means after the last. */
  add(group: number, date: number, value: number): void {
    this.#step(group * this.#width + date, value);
  }

  /** Turns steps into sums. Nothing can be added afterwards. */
  sum(): (group: number, date: number) => number {
    const width = this.#width;
    for (let place = 0; place < this.#high.length; place += 1) {
      if (place % width === 0) continue;
      this.#step(place, this.#high[place - 1] as number);
      this.#low[place] = (this.#low[place] as number) + (this.#low[place - 1] as number);
    }
    return (group, date) => (this.#high[group * width + date] as number) + (this.#low[group * width + date] as number);
  }

  #step(place: number, value: number): void {
    const high = this.#high[place] as number;
    const sum = high + value;
    const error = Math.abs(high) >= Math.abs(value) ? high - sum + value : value - sum + high;
    this.#high[place] = sum;
    this.#low[place] = (this.#low[place] as number) + error;
  }
}

/** Counts by kind and date, from steps that hold for all later dates. */
export class DateTally implements DeltaSink {
  readonly #call: string;
  readonly #width: number;
  #steps: Int32Array;

  /** @param call the call as users write it: `counts()` */
  constructor(call: string, dateCount: number) {
    this.#call = call;
    this.#width = dateCount + 1;
    this.#steps = new Int32Array(16 * this.#width);
  }

  appear(kind: number, date: number): void {
    this.add(kind, date, 1);
  }

  change(before: number, now: number, date: number): void {
    this.add(now, date, 1);
    this.add(before, date, -1);
  }

  leave(kind: number, date: number): void {
    this.add(kind, date, -1);
  }

  /**
   * Changes the count of a kind from a date on. The number of dates as index means after the last.
   *
   * @throws ArgumentError if the kinds and dates need too much memory
   */
  add(kind: number, date: number, step: number): void {
    const place = kind * this.#width + date;
    if (place >= this.#steps.length) this.#grow(kind + 1);
    this.#steps[place] = (this.#steps[place] as number) + step;
  }

  /** Turns steps into counts. Nothing can be added afterwards. */
  sum(): (kind: number, date: number) => number {
    const width = this.#width;
    const sums = this.#steps;
    for (let place = 0; place < sums.length; place += 1) {
      if (place % width !== 0) sums[place] = (sums[place] as number) + (sums[place - 1] as number);
    }
    return (kind, date) => sums[kind * width + date] ?? 0;
  }

  #grow(kinds: number): void {
    requireCells(this.#call, kinds, this.#width - 1);
    const grown = new Int32Array(Math.max(kinds * this.#width, 2 * this.#steps.length));
    grown.set(this.#steps);
    this.#steps = grown;
  }
}
