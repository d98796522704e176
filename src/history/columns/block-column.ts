import type { NamedColumn } from "../../layer/name-columns.js";
import { propertyType } from "../../layer/name-columns.js";
import { type Column, readsQuietly } from "../../tables/column/column.js";
import { declareType, isDate } from "../../tables/types/declared-type.js";

/** Rows that are read one after the other before a block is made: whoever reads so many reads on. */
const FEW = 8;
/** Rows of a block: few enough that they stay in the processor's cache, and cost next to no memory. */
const BLOCK = 1024;

/** Where the values of a column come from. */
export interface Values<T> {
  at(row: number): T;
  /** The values that codes stand for. */
  readonly dictionary: readonly T[];
  /** Writes what the rows from `start` to before `end` hold to the beginning of a block. */
  read(start: number, end: number, block: Block<T>): void;
}

/**
 * What rows hold: places in the dictionary, or `-1 - place` among the values that stand apart. Numbers are written several
 * times faster than the values themselves, of which the garbage collector has to be told.
 */
export interface Block<T> {
  readonly codes: Int32Array;
  readonly apart: T[];
}

const noCodes = new Int32Array(0);

/**
 * A column whose values are made when they are read: one by one where rows are read here and there, a block at once
 * where they are read one after the other, which takes a fraction of the time.
 */
export class BlockColumn<T> implements Column<T> {
  static {
    readsQuietly(BlockColumn.prototype);
  }

  readonly length: number;
  readonly #values: Values<T>;
  readonly #dictionary: readonly T[];
  /** Made with the first block: of a table's thousands of columns most are never read through. */
  #codes = noCodes;
  readonly #apart: T[] = [];
  /** First row of the block, and how many it has. */
  #start = 0;
  #size = 0;
  /** The row behind the last that was read apart, and how many before it were. */
  #next = 0;
  #run = 0;

  constructor(length: number, values: Values<T>) {
    this.length = length;
    this.#values = values;
    this.#dictionary = values.dictionary;
  }

  at(row: number): T | undefined {
    // One comparison: what is before the block is a large number, too.
    const place = (row - this.#start) >>> 0;
    if (place >= this.#size) return this.#readApart(row);
    const code = this.#codes[place] as number;
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
      for (let place = 0; place < end - start; place += 1) {
        const code = block.codes[place] as number;
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

/** Values of a property, with its definition's type for exports. */
export function declaredValues<C extends Column>(property: NamedColumn | undefined, values: C): C {
  return property ? declareType(values, propertyType(property)) : values;
}

/** Dates of a grid in the rows of a table: calendar dates for exports, if all of the grid are. */
export function declaredDates<C extends Column>(grid: readonly unknown[], values: C): C {
  return grid.every(isDate) ? declareType(values, { of: "table", type: "date" }) : values;
}
