import type { StepSink } from "./sweep-dates.js";

/** Counts per kind and date, from steps up and down that hold for all later dates. */
export class DateTally implements StepSink {
  readonly #width: number;
  #steps: Int32Array;

  constructor(dateCount: number) {
    this.#width = dateCount + 1;
    this.#steps = new Int32Array(16 * this.#width);
  }

  appear(kind: number, date: number): void {
    this.add(kind, date, 1);
  }

  change(before: number, now: number, date: number): void {
    this.add(now, date, 1);
    // A feature was of this kind, so there is room for it.
    const place = before * this.#width + date;
    this.#steps[place] = (this.#steps[place] as number) - 1;
  }

  /** Counts more or less of a kind from a date on; the number of dates is beyond the last. */
  add(kind: number, date: number, step: number): void {
    const place = kind * this.#width + date;
    if (place >= this.#steps.length) this.#grow(place + this.#width);
    this.#steps[place] = (this.#steps[place] as number) + step;
  }

  /** Turns steps into counts. Nothing can be added after. */
  sum(): (kind: number, date: number) => number {
    const width = this.#width;
    const sums = this.#steps;
    for (let place = 0; place < sums.length; place += 1) {
      if (place % width !== 0) sums[place] = (sums[place] as number) + (sums[place - 1] as number);
    }
    return (kind, date) => sums[kind * width + date] ?? 0;
  }

  #grow(needed: number): void {
    const grown = new Int32Array(Math.max(needed, 2 * this.#steps.length));
    grown.set(this.#steps);
    this.#steps = grown;
  }
}
