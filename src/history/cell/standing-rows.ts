import type { PropertyColumn } from "../../layer/property-columns.js";
import type { Column } from "../../tables/column/column.js";
import type { ChangeIndex } from "../index/change-index.js";

const NOTHING: Column = [];

/**
 * The features whose cells in a column show the non-null value of their records, because they were never changed. They
 * are the same on every date, so they are stored as one bit per row: most cells without a change are empty.
 */
export class StandingRows {
  readonly #offsets: Int32Array;
  readonly #values: Column;
  readonly #bits: Uint32Array;
  /** Which words of `#bits` are computed: readers of the first rows do not need all values. */
  readonly #isKnown: Uint8Array;

  /** @param index index of the whole log */
  constructor(index: ChangeIndex, column: number, values: Column) {
    this.#offsets = index.offsets.subarray(index.cell(0, column), index.cell(0, column + 1) + 1);
    this.#values = values;
    this.#bits = new Uint32Array((index.rowCount + 31) >>> 5);
    this.#isKnown = new Uint8Array(this.#bits.length);
  }

  /** Calls back for each of the rows from `first` to before `end`, in order. */
  forEach(first: number, end: number, use: (row: number) => void): void {
    for (let place = first >>> 5; 32 * place < end; place += 1) {
      if (this.#isKnown[place] === 0) this.#find(place);
      for (let left = this.#bits[place] as number; left !== 0; left &= left - 1) {
        const row = 32 * place + 31 - Math.clz32(left & -left);
        if (row >= first && row < end) use(row);
      }
    }
  }

  /** The value in the record of a row. */
  value(row: number): unknown {
    return this.#values.at(row) ?? null;
  }

  #find(place: number): void {
    const end = Math.min(32 * (place + 1), this.#offsets.length - 1);
    let word = 0;
    for (let row = 32 * place; row < end; row += 1) {
      const isUnchanged = this.#offsets[row] === this.#offsets[row + 1];
      if (isUnchanged && this.value(row) !== null) word |= 1 << (row & 31);
    }
    this.#bits[place] = word;
    this.#isKnown[place] = 1;
  }
}

/**
 * Returns the rows of each column, created on first use.
 *
 * @param index index of the whole log
 */
export function standingRows(index: ChangeIndex, columns: readonly PropertyColumn[]): (column: number) => StandingRows {
  const kept = new Map<number, StandingRows>();
  return (column) => {
    const found = kept.get(column) ?? new StandingRows(index, column, columns[column]?.values ?? NOTHING);
    kept.set(column, found);
    return found;
  };
}
