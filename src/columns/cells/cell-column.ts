import { noTypes, type TypeCounts, typeOf } from "../count-types.js";
import type { RecordColumn } from "../record-column.js";
import { BOXED, HIGH, LOW, tagOf, tags } from "./cell.js";
import type { CellStore } from "./cell-store.js";

/** A column as codes, and the values that they stand for. */
export interface EncodedColumn {
  readonly codes: Int32Array;
  readonly values: readonly unknown[];
}

/** A column over cells. Values are decoded when they are read; a text that repeats is decoded once. */
export class CellColumn implements RecordColumn {
  readonly length: number;
  readonly #words: Uint32Array;
  readonly #numbers: Float64Array;
  readonly #store: CellStore;
  #types: TypeCounts | undefined;

  constructor(words: Uint32Array, store: CellStore) {
    this.length = words.length / 2;
    this.#words = words;
    this.#numbers = new Float64Array(words.buffer, words.byteOffset, this.length);
    this.#store = store;
  }

  at(row: number): unknown {
    const high = this.#words[2 * row + HIGH];
    if (high === undefined) return undefined;
    return high < BOXED ? this.#numbers[row] : this.#store.value(high, this.#words[2 * row + LOW] ?? 0);
  }

  /** Whether the record of a row has this member. */
  has(row: number): boolean {
    const high = this.#words[2 * row + HIGH] ?? BOXED;
    return high < BOXED || tagOf(high) !== tags.absent;
  }

  isNumber(row: number): boolean {
    return (this.#words[2 * row + HIGH] ?? BOXED) < BOXED;
  }

  countTypes(): TypeCounts {
    this.#types ??= this.#count();
    return this.#types;
  }

  /** The values as codes: a value that repeats in the dictionary or as a number is listed once. */
  encode(): EncodedColumn {
    const codes = new Int32Array(this.length);
    const values: unknown[] = [];
    const known = new Map<number | string, number>();
    for (let row = 0; row < this.length; row += 1) {
      const high = this.#words[2 * row + HIGH] ?? BOXED;
      // Only words and literals are the same whenever their cells are; other cells point at a place.
      const tag = tagOf(high);
      const isPlace = high >= BOXED && tag !== tags.word && tag !== tags.literal && tag !== tags.absent;
      const number = this.#numbers[row] ?? 0;
      const key = high < BOXED ? number : `${tag} ${this.#words[2 * row + LOW]}`;
      const code = isPlace ? undefined : known.get(key);
      codes[row] = code ?? values.push(this.at(row)) - 1;
      if (code === undefined && !isPlace) known.set(key, values.length - 1);
    }
    return { codes, values };
  }

  *[Symbol.iterator](): Iterator<unknown> {
    for (let row = 0; row < this.length; row += 1) yield this.at(row);
  }

  #count(): TypeCounts {
    const counts = noTypes();
    for (let row = 0; row < this.length; row += 1) {
      const high = this.#words[2 * row + HIGH] ?? BOXED;
      if (high < BOXED) counts.number += 1;
      else if (tagOf(high) === tags.word || tagOf(high) === tags.text) counts.string += 1;
      else if (tagOf(high) === tags.json || tagOf(high) === tags.geometry) counts.json += 1;
      else counts[typeOf(this.at(row))] += 1;
    }
    return counts;
  }
}
