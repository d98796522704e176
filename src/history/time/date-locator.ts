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
