import type { Column } from "../../columns/column/column.js";

/** Rows that are read one after the other before a block is made: whoever reads so many reads on. */
const FEW = 8;
/** Rows of a block: few enough that they stay in the processor's cache, and cost next to no memory. */
const BLOCK = 1024;

/** Where the values of a column come from. */
export interface Values<T> {
  at(row: number): T;
  /** Writes the values of the rows from `start` to before `end` to the beginning of `target`. */
  read(start: number, end: number, target: T[]): void;
}

/**
 * A column whose values are made when they are read: one by one where rows are read here and there, a block at once
 * where they are read one after the other, which takes a fraction of the time.
 */
export class BlockColumn<T> implements Column<T> {
  readonly length: number;
  readonly #values: Values<T>;
  readonly #block: T[] = [];
  /** First row of the block, and how many it has. */
  #start = 0;
  #size = 0;
  /** The row behind the last that was read apart, and how many before it were. */
  #next = 0;
  #run = 0;

  constructor(length: number, values: Values<T>) {
    this.length = length;
    this.#values = values;
  }

  at(row: number): T | undefined {
    // One comparison: what is before the block is a large number, too.
    const place = (row - this.#start) >>> 0;
    return place < this.#size ? this.#block[place] : this.#readApart(row);
  }

  *[Symbol.iterator](): Iterator<T> {
    const block: T[] = [];
    for (let start = 0; start < this.length; start += BLOCK) {
      const end = Math.min(start + BLOCK, this.length);
      this.#values.read(start, end, block);
      for (let row = start; row < end; row += 1) yield block[row - start] as T;
    }
  }

  #readApart(row: number): T | undefined {
    if (!(row >= 0 && row < this.length)) return undefined;
    this.#run = row === this.#next ? this.#run + 1 : 0;
    this.#next = row + 1;
    if (this.#run < FEW) return this.#values.at(row);
    this.#start = row;
    const end = Math.min(row + BLOCK, this.length);
    this.#size = end - row;
    this.#next = end;
    this.#values.read(row, end, this.#block);
    return this.#block[0];
  }
}
