import { packUuid } from "../../core/uuid-words.js";
import { noTypes, type TypeCounts, typeOf, type ValueType } from "../column/count-types.js";
import type { RecordColumn } from "../column/record-column.js";
import {
  BOOLEAN_CELL,
  BOXED,
  cellKinds,
  HIGH,
  LOW,
  literalValues,
  NULL_CELL,
  NUMBER_KIND,
  tagOf,
  tags,
  UUID_CELL,
} from "./cell.js";
import type { CellStore } from "./cell-store.js";
import { countKinds } from "./count-kinds.js";
import { NumberCodes } from "./number-codes.js";

/** A column as codes, and the values that they stand for. */
export interface EncodedColumn {
  readonly codes: Int32Array;
  readonly values: readonly unknown[];
}

/** The payload of true. */
const TRUE = literalValues.indexOf(true);

/** The JSON types of values by the kinds of their cells, where the kind tells. */
const typesOfKinds: readonly (readonly [kind: number, type: ValueType])[] = [
  [NUMBER_KIND, "number"],
  [tags.absent, "null"],
  [tags.word, "string"],
  [tags.text, "string"],
  [tags.uuid, "string"],
  [tags.json, "json"],
  [tags.geometry, "json"],
];

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

  isNull(row: number): boolean {
    return this.#words[2 * row + HIGH] === NULL_CELL;
  }

  isTrue(row: number): boolean {
    return this.#words[2 * row + HIGH] === BOOLEAN_CELL && this.#words[2 * row + LOW] === TRUE;
  }

  isNumber(row: number): boolean {
    return (this.#words[2 * row + HIGH] ?? BOXED) < BOXED;
  }

  /** Rows that hold anything but a number. */
  rowsWithoutNumber(): readonly number[] {
    const rows: number[] = [];
    const words = this.#words;
    for (let at = HIGH; at < words.length; at += 2) if ((words[at] ?? 0) >= BOXED) rows.push(at >> 1);
    return rows;
  }

  /** Rows that hold anything but null and a geometry in flat coordinates. */
  rowsWithoutGeometry(): readonly number[] {
    const rows: number[] = [];
    const words = this.#words;
    for (let at = HIGH; at < words.length; at += 2) {
      const high = words[at] as number;
      if (high !== NULL_CELL && cellKinds[high >>> 16] !== tags.geometry) rows.push(at >> 1);
    }
    return rows;
  }

  countTypes(): TypeCounts {
    this.#types ??= this.#count();
    return this.#types;
  }

  /** The values as numbers; undefined if one is none. */
  numbers(): Float64Array | undefined {
    for (let row = 0; row < this.length; row += 1) if (!this.isNumber(row)) return undefined;
    return this.#numbers.slice();
  }

  /** The values as codes: a value that repeats in the dictionary or as a number is listed once. */
  encode(readJson: (text: string) => unknown = JSON.parse): EncodedColumn {
    const codes = new Int32Array(this.length);
    const values: unknown[] = [];
    const ofNumbers = new NumberCodes();
    // Codes + 1, 0 for none yet.
    const ofWords = new Int32Array(this.#store.dictionary.size);
    const ofLiterals = new Int32Array(literalValues.length);
    const words = this.#words;
    for (let row = 0; row < codes.length; row += 1) {
      const high = words[2 * row + HIGH] ?? BOXED;
      const low = words[2 * row + LOW] ?? 0;
      if (high < BOXED) {
        const code = ofNumbers.code(high, low, values.length);
        if (code === values.length) values.push(this.#numbers[row]);
        codes[row] = code;
        continue;
      }
      const tag = tagOf(high);
      // An absent value is null; of all other cells, words and literals alone are the same if their values are.
      const known = tag === tags.word ? ofWords : tag === tags.literal || tag === tags.absent ? ofLiterals : undefined;
      const key = tag === tags.absent ? 0 : low;
      const entry = known?.[key] ?? 0;
      if (entry > 0) {
        codes[row] = entry - 1;
        continue;
      }
      codes[row] = values.length;
      values.push(tag === tags.json ? readJson(this.#store.jsonText(high, low)) : this.at(row));
      if (known) known[key] = values.length;
    }
    return { codes, values };
  }

  /** The words of all rows' UUIDs, if they were kept one after the other, as those of a column are where none lacks. */
  uuidRun(): Uint32Array | undefined {
    const words = this.#words;
    const first = words[LOW] ?? 0;
    for (let row = 0; row < this.length; row += 1) {
      if (words[2 * row + HIGH] !== UUID_CELL || words[2 * row + LOW] !== first + row) return undefined;
    }
    return this.#store.uuids.run(first, this.length);
  }

  /** Packs the text of a row as a UUID, and says whether there is a text. */
  packUuid(row: number, words: Uint32Array, start: number): boolean {
    const high = this.#words[2 * row + HIGH] ?? 0;
    if (high === UUID_CELL) {
      this.#store.uuids.copy(this.#words[2 * row + LOW] ?? 0, words, start);
      return true;
    }
    if (high === NULL_CELL) return false;
    const text = this.at(row);
    if (typeof text !== "string") return false;
    packUuid(text, words, start);
    return true;
  }

  *[Symbol.iterator](): Iterator<unknown> {
    for (let row = 0; row < this.length; row += 1) yield this.at(row);
  }

  #count(): TypeCounts {
    const { ofKind, nulls } = countKinds(this.#words);
    const counts = noTypes();
    counts.null = nulls;
    counts.boolean = (ofKind[tags.literal] ?? 0) - nulls;
    for (const [kind, type] of typesOfKinds) counts[type] += ofKind[kind] ?? 0;
    if (ofKind[tags.other]) this.#countOthers(counts);
    return counts;
  }

  #countOthers(counts: Record<ValueType, number>): void {
    for (let row = 0; row < this.length; row += 1) {
      const high = this.#words[2 * row + HIGH] ?? 0;
      if (high >= BOXED && tagOf(high) === tags.other) counts[typeOf(this.at(row))] += 1;
    }
  }
}
