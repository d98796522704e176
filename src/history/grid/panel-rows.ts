import { firstIndex } from "../../core/first-index.js";
import type { Column } from "../../tables/column/column.js";
import { type Presence, presentRows } from "../cell/present-rows.js";
import { computedColumn } from "../columns/computed-column.js";
import type { DateGrid } from "../time/date-grid.js";

/**
 * Where the rows of a panel are: date after date as asked for, the features of a date in the layer's order. Features
 * never leave, so dates with as many features have the same ones, and share the list of them.
 */
export class PanelRows {
  readonly length: number;
  /** The features of each date, in order of time: rows of the layer. */
  readonly present: readonly Int32Array[];
  /** Where each date begins, in order of time. */
  readonly sortedStarts: Int32Array;
  /** Where each date ends, in the order asked for. */
  readonly #ends: Int32Array;
  readonly #sortedOfAsked: Int32Array;
  /** The date that was read last: columns are mostly read from their first row to their last. */
  #lastRead = 0;

  constructor(data: Presence, { sortedUs, rank }: DateGrid) {
    this.present = presentAtDates(data, sortedUs);
    this.sortedStarts = new Int32Array(rank.length);
    this.#ends = new Int32Array(rank.length);
    this.#sortedOfAsked = rank;
    let length = 0;
    rank.forEach((sorted, asked) => {
      this.sortedStarts[sorted] = length;
      length += this.present[sorted]?.length ?? 0;
      this.#ends[asked] = length;
    });
    this.length = length;
  }

  /** Row of the layer that a row of the panel is about. */
  rowAt(index: number): number {
    const sorted = this.#sortedOfAsked[this.dateAt(index)] as number;
    return this.present[sorted]?.[index - (this.sortedStarts[sorted] as number)] ?? 0;
  }

  /** The date of a row, in the order asked for. */
  dateAt(index: number): number {
    const last = this.#lastRead;
    const ends = this.#ends;
    if (index < (ends[last] as number) && (last === 0 || index >= (ends[last - 1] as number))) return last;
    this.#lastRead = firstIndex(ends.length, (date) => (ends[date] as number) <= index);
    return this.#lastRead;
  }

  /** A column of what features have, whatever the date. */
  ofFeatures(column: Column): Column {
    return computedColumn(this.length, (index) => column.at(this.rowAt(index)));
  }

  /** A column of what dates have, whatever the feature. */
  ofDates<T>(values: readonly T[]): Column<T | undefined> {
    return computedColumn(this.length, (index) => values[this.dateAt(index)]);
  }
}

function presentAtDates(data: Presence, sortedUs: Float64Array): readonly Int32Array[] {
  let last: Int32Array | undefined;
  return Array.from(sortedUs, (us) => {
    if (last?.length === data.features.count) return last;
    const rows = presentRows(data, us);
    if (rows.length !== last?.length) last = rows;
    return last;
  });
}
