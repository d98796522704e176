import { firstIndex } from "../../core/first-index.js";
import { type ChangeLog, type Codes, codeArray } from "../log/change-log.js";

/** Counts are kept after at least so many changes: counting fewer takes no time. */
const LEAST_STEP = 4096;

/**
 * How many changes each feature has in one column at or before a time.
 *
 * Counts are kept at times in between, in at most two bytes a change. Those of a time are the nearest kept ones with the
 * changes from there to it added or taken away: the work grows with the features, not with the log.
 */
export class RunningCounts {
  readonly #log: ChangeLog;
  readonly #byTime: Int32Array;
  readonly #step: number;
  /** The counts after `#step` changes, after twice as many and so on. */
  readonly #kept: Codes[] = [];
  readonly #none: () => Codes;

  /**
   * @param byTime positions of the column's changes in the log, in order of time
   * @param most no feature has more changes in the column
   */
  constructor(log: ChangeLog, byTime: Int32Array, rowCount: number, most: number) {
    this.#log = log;
    this.#byTime = byTime;
    this.#none = () => codeArray(most + 1, rowCount);
    const counts = this.#none();
    this.#step = Math.max(counts.byteLength >> 1, LEAST_STEP);
    for (let end = this.#step; end <= byTime.length; end += this.#step) {
      this.#count(counts, end - this.#step, end);
      this.#kept.push(counts.slice());
    }
  }

  /** Counts by row of the changes at or before a time. */
  at(us: number): Codes {
    const { timesUs } = this.#log;
    const end = firstIndex(this.#byTime.length, (place) => (timesUs[this.#byTime[place] ?? 0] ?? 0) <= us);
    const nearest = Math.min(Math.round(end / this.#step), this.#kept.length);
    const counts = this.#kept[nearest - 1]?.slice() ?? this.#none();
    this.#count(counts, nearest * this.#step, end);
    return counts;
  }

  /** Adds the changes from one place in order of time to another; takes them away where that is before. */
  #count(counts: Codes, from: number, to: number): void {
    const { rows } = this.#log;
    const byTime = this.#byTime;
    const step = to < from ? -1 : 1;
    const end = Math.max(from, to);
    for (let place = Math.min(from, to); place < end; place += 1) {
      const row = rows[byTime[place] ?? 0] ?? 0;
      counts[row] = (counts[row] ?? 0) + step;
    }
  }
}
