/**
 * Sums of numbers per group and date, by steps like `DateTally`. Each sum carries its rounding error along, so that
 * what was added and taken away again leaves nothing behind (Neumaier 1974).
 */
export class DateSums {
  readonly #dateCount: number;
  readonly #high: Float64Array;
  readonly #low: Float64Array;

  constructor(groupCount: number, dateCount: number) {
    this.#dateCount = dateCount;
    this.#high = new Float64Array(groupCount * (dateCount + 1));
    this.#low = new Float64Array(groupCount * (dateCount + 1));
  }

  /** Adds a number to a group at the dates `from … to` (excluded). */
  add(group: number, from: number, to: number, value: number): void {
    const base = group * (this.#dateCount + 1);
    this.#step(base + from, value);
    this.#step(base + to, -value);
  }

  /** Turns steps into sums. Nothing can be added after. */
  sum(): (group: number, date: number) => number {
    const width = this.#dateCount + 1;
    for (let place = 0; place < this.#high.length; place += 1) {
      if (place % width === 0) continue;
      this.#step(place, this.#high[place - 1] ?? 0);
      this.#low[place] = (this.#low[place] ?? 0) + (this.#low[place - 1] ?? 0);
    }
    return (group, date) => (this.#high[group * width + date] ?? 0) + (this.#low[group * width + date] ?? 0);
  }

  #step(place: number, value: number): void {
    const high = this.#high[place] ?? 0;
    const sum = high + value;
    const error = Math.abs(high) >= Math.abs(value) ? high - sum + value : value - sum + high;
    this.#high[place] = sum;
    this.#low[place] = (this.#low[place] ?? 0) + error;
  }
}
