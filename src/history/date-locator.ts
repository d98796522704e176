/** Finds the first of many ascending times that is not before a given one, in about constant time. */
export class DateLocator {
  readonly count: number;
  readonly #sortedUs: Float64Array;
  readonly #firstUs: number;
  readonly #lastUs: number;
  readonly #perUs: number;
  /** First date at or after the beginning of each bucket; the span of dates is cut into equal buckets. */
  readonly #buckets: Int32Array;

  constructor(sortedUs: Float64Array) {
    this.count = sortedUs.length;
    this.#sortedUs = sortedUs;
    this.#firstUs = sortedUs.at(0) ?? 0;
    this.#lastUs = sortedUs.at(-1) ?? 0;
    const spanUs = this.#lastUs - this.#firstUs;
    this.#perUs = spanUs > 0 ? (4 * sortedUs.length) / spanUs : 0;
    this.#buckets = new Int32Array(4 * sortedUs.length + 1);
    let date = 0;
    for (let bucket = 0; bucket < this.#buckets.length; bucket += 1) {
      while (date < this.count && this.#bucketOf(sortedUs[date] ?? 0) < bucket) date += 1;
      this.#buckets[bucket] = date;
    }
  }

  /** Index of the first date at or after a time; `count` if there is none. */
  locate(us: number): number {
    if (us <= this.#firstUs) return 0;
    if (us > this.#lastUs) return this.count;
    let date = this.#buckets[this.#bucketOf(us)] ?? 0;
    while ((this.#sortedUs[date] ?? us) < us) date += 1;
    return date;
  }

  #bucketOf(us: number): number {
    return Math.trunc((us - this.#firstUs) * this.#perUs);
  }
}
