import { isDate } from "../../api/property-types.js";
import { type Column, readsQuietly } from "../../tables/column/column.js";
import { declareType } from "../../tables/types/declared-type.js";

/** After this many consecutive rows, a block is created: the reader will probably continue. */
const FEW = 8;
/** Rows of a block: few enough to stay in the processor's cache and to use little memory. */
const BLOCK = 1024;

/** The source of the values of a column. */
export interface Values<T> {
  at(row: number): T;
  /** The values of the codes. */
  readonly dictionary: readonly T[];
  /** Writes the contents of the rows from `start` to before `end` to the beginning of a block. */
  read(start: number, end: number, block: Block<T>): void;
}

/**
 * Contents of rows: indices in the dictionary, or `-1 - index` into the separate values. Numbers are written several
 * times faster than the values themselves, which need write barriers for the garbage collector.
 */
export interface Block<T> {
  readonly codes: Int32Array;
  readonly apart: T[];
}

const noCodes = new Int32Array(0);

/**
 * A column whose values are computed when read: one by one for scattered rows, a block at once for consecutive rows,
 * which is many times faster.
 */
export class BlockColumn<T> implements Column<T> {
  static {
    readsQuietly(BlockColumn.prototype);
  }

  readonly length: number;
  readonly #values: Values<T>;
  readonly #dictionary: readonly T[];
  /** Created with the first block: most of a table's columns are never read completely. */
  #codes = noCodes;
  readonly #apart: T[] = [];
  /** First row of the block, and its number of rows. */
  #start = 0;
  #size = 0;
  /** The row after the last single read, and the number of consecutive single reads before it. */
  #next = 0;
  #run = 0;

  constructor(length: number, values: Values<T>) {
    this.length = length;
    this.#values = values;
    this.#dictionary = values.dictionary;
  }

  at(row: number): T | undefined {
    // One comparison suffices: a row before the block becomes a large number.
    const index = (row - this.#start) >>> 0;
    if (index >= this.#size) return this.#readApart(row);
    const code = this.#codes[index] as number;
    return code >= 0 ? this.#dictionary[code] : this.#apart[-1 - code];
  }

  /** All values in an array. */
  allValues(): T[] {
    const block = { codes: new Int32Array(BLOCK), apart: [] as T[] };
    const values = new Array<T>(this.length);
    for (let start = 0; start < this.length; start += BLOCK) {
      const end = Math.min(start + BLOCK, this.length);
      this.#values.read(start, end, block);
      for (let row = start; row < end; row += 1) {
        const code = block.codes[row - start] as number;
        values[row] = (code >= 0 ? this.#dictionary[code] : block.apart[-1 - code]) as T;
      }
    }
    return values;
  }

  *[Symbol.iterator](): Iterator<T> {
    const block = { codes: new Int32Array(BLOCK), apart: [] as T[] };
    for (let start = 0; start < this.length; start += BLOCK) {
      const end = Math.min(start + BLOCK, this.length);
      this.#values.read(start, end, block);
      for (let index = 0; index < end - start; index += 1) {
        const code = block.codes[index] as number;
        yield (code >= 0 ? this.#dictionary[code] : block.apart[-1 - code]) as T;
      }
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
    if (this.#codes.length === 0) this.#codes = new Int32Array(Math.min(BLOCK, this.length));
    this.#values.read(row, end, { codes: this.#codes, apart: this.#apart });
    return this.at(row);
  }
}

/** Dates in the rows of a table, as calendar dates in exports if all of them are. */
export function declaredDates<C extends Column>(grid: readonly unknown[], values: C): C {
  return grid.every(isDate) ? declareType(values, { of: "table", type: "date" }) : values;
}
