/**
 * Counts per kind and date. A stretch of dates is one step up at its first date and one down after its last, whatever
 * its length; the counts are their running sums.
 */
export class DateTally {
  readonly #dateCount: number;
  #steps: Int32Array;

  constructor(dateCount: number) {
    this.#dateCount = dateCount;
    this.#steps = new Int32Array(16 * (dateCount + 1));
  }

  /** Counts one more of a kind at the dates `from … to` (excluded). */
  add(kind: number, from: number, to: number): void {
    const base = kind * (this.#dateCount + 1);
    if (base + this.#dateCount >= this.#steps.length) this.#grow(base + this.#dateCount + 1);
    const steps = this.#steps;
    steps[base + from] = (steps[base + from] ?? 0) + 1;
    steps[base + to] = (steps[base + to] ?? 0) - 1;
  }

  /** Turns steps into counts. Nothing can be added after. */
  sum(): (kind: number, date: number) => number {
    const width = this.#dateCount + 1;
    const sums = this.#steps;
    for (let place = 0; place < sums.length; place += 1) {
      if (place % width !== 0) sums[place] = (sums[place] ?? 0) + (sums[place - 1] ?? 0);
    }
    return (kind, date) => sums[kind * width + date] ?? 0;
  }

  #grow(needed: number): void {
    const grown = new Int32Array(Math.max(needed, 2 * this.#steps.length));
    grown.set(this.#steps);
    this.#steps = grown;
  }
}
