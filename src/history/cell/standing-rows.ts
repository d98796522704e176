import type { PropertyColumn } from "../../layer/property-columns.js";
import type { Column } from "../../tables/column/column.js";
import type { ChangeIndex } from "../index/change-index.js";

const NOTHING: Column = [];

/**
 * The features whose cells in a column show what their records hold, since no change tells of them, where that is a
 * value. They are the same at every date, so that they are kept, a bit a row: most cells without a change hold nothing.
 */
export class StandingRows {
  readonly #offsets: Int32Array;
  readonly #values: Column;
  readonly #bits: Uint32Array;
  /** Which words of `#bits` are known: whoever looks at the first rows does not want the value of each. */
  readonly #isKnown: Uint8Array;

  /** @param index of the whole log */
  constructor(index: ChangeIndex, column: number, values: Column) {
    this.#offsets = index.offsets.subarray(index.cell(0, column), index.cell(0, column + 1) + 1);
    this.#values = values;
    this.#bits = new Uint32Array((index.rowCount + 31) >>> 5);
    this.#isKnown = new Uint8Array(this.#bits.length);
  }

  /** Calls back with those of the rows from `first` to before `end`, in their order. */
  forEach(first: number, end: number, use: (row: number) => void): void {
    for (let place = first >>> 5; 32 * place < end; place += 1) {
      if (this.#isKnown[place] === 0) this.#find(place);
      for (let left = this.#bits[place] as number; left !== 0; left &= left - 1) {
        const row = 32 * place + 31 - Math.clz32(left & -left);
        if (row >= first && row < end) use(row);
      }
    }
  }

  /** What the record of a row holds. */
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
 * Those of each column, made when they are first asked for.
 *
 * @param index of the whole log
 */
export function standingRows(index: ChangeIndex, columns: readonly PropertyColumn[]): (column: number) => StandingRows {
  const kept = new Map<number, StandingRows>();
  return (column) => {
    const found = kept.get(column) ?? new StandingRows(index, column, columns[column]?.values ?? NOTHING);
    kept.set(column, found);
    return found;
  };
}
