import { GrowingArray } from "../../tables/cells/growing-array.js";
import { requireCells } from "../answer-size.js";

/** Receives the contents of features at dates, each valid until the next change. */
export interface DeltaSink {
  /** A feature of some kind appears at a date. The number of dates as index means after the last. */
  appear(kind: number, date: number): void;
  /** A feature changes from one kind to another at a date. */
  change(before: number, now: number, date: number): void;
  /** A feature of some kind is gone from a date on. */
  leave(kind: number, date: number): void;
}

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
    for (let index = 0; index < this.#high.length; index += 1) {
      if (index % width === 0) continue;
      this.#step(index, this.#high[index - 1] as number);
      this.#low[index] = (this.#low[index] as number) + (this.#low[index - 1] as number);
    }
    return (group, date) => (this.#high[group * width + date] as number) + (this.#low[group * width + date] as number);
  }

  #step(index: number, value: number): void {
    const high = this.#high[index] as number;
    const sum = high + value;
    const error = Math.abs(high) >= Math.abs(value) ? high - sum + value : value - sum + high;
    this.#high[index] = sum;
    this.#low[index] = (this.#low[index] as number) + error;
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
    const index = kind * this.#width + date;
    if (index >= this.#steps.length) this.#grow(kind + 1);
    this.#steps[index] = (this.#steps[index] as number) + step;
  }

  /** Turns steps into counts. Nothing can be added afterwards. */
  sum(): (kind: number, date: number) => number {
    const width = this.#width;
    const sums = this.#steps;
    for (let index = 0; index < sums.length; index += 1) {
      if (index % width !== 0) sums[index] = (sums[index] as number) + (sums[index - 1] as number);
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

/** Changes of the counts and weights of kinds from dates on. Their running sums are the amounts at each date. */
export class WeightedDeltas {
  readonly #kinds = new GrowingArray(Int32Array);
  readonly #dates = new GrowingArray(Int32Array);
  readonly #counts = new GrowingArray(Float64Array);
  readonly #weighted = new GrowingArray(Float64Array);
  readonly #quantities = new GrowingArray(Float64Array);
  #kindCount = 0;
  readonly #call: string;

  /** @param call the call as users write it: `counts()` */
  constructor(call: string) {
    this.#call = call;
  }

  /**
   * @param date the number of dates means after the last
   * @param count number of features
   * @param weighted number of them that have a weight
   * @param quantity sum of their weights
   */
  take(kind: number, date: number, count: number, weighted: number, quantity: number): void {
    this.#kinds.push(kind);
    this.#dates.push(date);
    this.#counts.push(count);
    this.#weighted.push(weighted);
    this.#quantities.push(quantity);
    this.#kindCount = Math.max(this.#kindCount, kind + 1);
  }

  /** Number of features, by kind and index of a date, in order of time. */
  counts(dateCount: number): (kind: number, date: number) => number {
    return this.#tally(this.#counts, dateCount);
  }

  /** Their weights. */
  sums(dateCount: number): QuantitiesAt {
    const [kinds, dates] = [this.#kinds.filled(), this.#dates.filled()];
    const quantities = this.#quantities.filled();
    const sums = new DateSums(this.#call, this.#kindCount, dateCount);
    kinds.forEach((kind, step) => {
      sums.add(kind, dates[step] as number, quantities[step] as number);
    });
    const [sum, weighted] = [sums.sum(), this.#tally(this.#weighted, dateCount)];
    return {
      weighted,
      // Adding and subtracting the same value may leave a rounding error.
      quantity: (kind, date) => (weighted(kind, date) === 0 ? 0 : sum(kind, date)),
    };
  }

  #tally(steps: GrowingArray<Float64Array>, dateCount: number): (kind: number, date: number) => number {
    const [kinds, dates, values] = [this.#kinds.filled(), this.#dates.filled(), steps.filled()];
    const counted = new DateTally(this.#call, dateCount);
    kinds.forEach((kind, step) => {
      counted.add(kind, dates[step] as number, values[step] as number);
    });
    return counted.sum();
  }
}

/** Number of features of a kind with a weight at a date, and the sum of their weights. */
export interface QuantitiesAt {
  weighted(kind: number, date: number): number;
  quantity(kind: number, date: number): number;
}
