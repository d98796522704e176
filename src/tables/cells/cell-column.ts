import { packUuid } from "../../core/uuid.js";
import {
  type CountedColumn,
  noTypes,
  type RecordColumn,
  readsQuietly,
  type TypeCounts,
  typeOf,
  type ValueCounter,
  type ValueType,
} from "../column/column.js";
import {
  BOOLEAN_CELL,
  BOXED,
  cellKinds,
  HIGH,
  LONGEST,
  LOW,
  literalValues,
  NULL_CELL,
  NUMBER_KIND,
  tagOf,
  tags,
  UUID_CELL,
} from "./cell.js";
import type { CellStore } from "./cell-store.js";
import { GrowingArray } from "./growing-array.js";

const FIRST_SIZE = 512;

/**
 * Codes of numbers by their two words. Numbers are equal if their bits are, so that -0 differs from 0.
 *
 * A `Map` of doubles needs an object per number, and takes three times as long.
 */
export class NumberCodes {
  /** Open addressing: code + 1, or 0 if free. Empty until the first number. */
  #slots = new Int32Array(0);
  /** The words of the number in each slot. */
  #words = new Int32Array(0);
  #size = 0;

  /** The code of a number; a new number gets the code `next`. */
  code(high: number, low: number, next: number): number {
    if (2 * this.#size >= this.#slots.length) this.#grow();
    const slot = this.#find(high | 0, low | 0);
    const code = this.#slots[slot] as number;
    if (code !== 0) return code - 1;
    this.#put(slot, high | 0, low | 0, next + 1);
    this.#size += 1;
    return next;
  }

  #find(high: number, low: number): number {
    const slots = this.#slots;
    const words = this.#words;
    const mask = slots.length - 1;
    let slot = hashOf(high, low) & mask;
    while (slots[slot] !== 0 && (words[2 * slot] !== high || words[2 * slot + 1] !== low)) slot = (slot + 1) & mask;
    return slot;
  }

  #put(slot: number, high: number, low: number, entry: number): void {
    this.#slots[slot] = entry;
    this.#words[2 * slot] = high;
    this.#words[2 * slot + 1] = low;
  }

  #grow(): void {
    const [slots, words] = [this.#slots, this.#words];
    const size = Math.max(FIRST_SIZE, 4 * slots.length);
    this.#slots = new Int32Array(size);
    this.#words = new Int32Array(2 * size);
    for (let slot = 0; slot < slots.length; slot += 1) {
      const [entry, high, low] = [slots[slot] as number, words[2 * slot] as number, words[2 * slot + 1] as number];
      if (entry !== 0) this.#put(this.#find(high, low), high, low, entry);
    }
  }
}

/** Small integers differ only in the high bits of their high word, so both words are mixed into the low bits. */
function hashOf(high: number, low: number): number {
  const mixed = Math.imul(high ^ Math.imul(low, 0x85ebca6b), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

const KINDS = NUMBER_KIND + 1;

/** Number of cells of each kind: tags and `NUMBER_KIND`. */
interface KindCounts {
  readonly ofKind: Int32Array;
  /** Number of nulls among the literals. */
  readonly nulls: number;
}

/**
 * Counts the cells of a column by kind. Adjacent cells use separate counters, because they are mostly of one kind and
 * reading a counter that was just written is slow.
 */
function countKinds(words: Uint32Array): KindCounts {
  const counts = new Int32Array(2 * KINDS);
  const nulls = countInto(counts, words);
  return {
    ofKind: Int32Array.from(
      { length: KINDS },
      (_, kind) => (counts[kind] as number) + (counts[KINDS + kind] as number),
    ),
    nulls,
  };
}

/** Contains only the loop: V8 would discard code that was compiled during the loop if other code followed. */
function countInto(counts: Int32Array, words: Uint32Array): number {
  let nulls = 0;
  const last = words.length - 2;
  let at = HIGH;
  for (; at < last; at += 4) {
    const high = words[at] as number;
    const next = words[at + 2] as number;
    const kind = cellKinds[high >>> 16] as number;
    const nextKind = KINDS + (cellKinds[next >>> 16] as number);
    counts[kind] = (counts[kind] as number) + 1;
    counts[nextKind] = (counts[nextKind] as number) + 1;
    nulls += Number(high === NULL_CELL) + Number(next === NULL_CELL);
  }
  if (at < words.length) {
    const kind = cellKinds[(words[at] as number) >>> 16] as number;
    counts[kind] = (counts[kind] as number) + 1;
    nulls += Number(words[at] === NULL_CELL);
  }
  return nulls;
}

function countCells(words: Uint32Array, store: CellStore, counter: ValueCounter): void {
  const doubles = new Float64Array(words.buffer, words.byteOffset, words.length / 2);
  const { ofKind } = countKinds(words);
  const numbers = new GrowingArray(Float64Array, ofKind[NUMBER_KIND]);
  const texts = new GrowingArray(Uint32Array, ofKind[tags.text]);
  const uuids = new GrowingArray(Uint32Array, ofKind[tags.uuid]);
  const ofWords = new Uint32Array(store.dictionary.size);
  const ofLiterals = new Uint32Array(literalValues.length);
  for (let row = 0; row < doubles.length; row += 1) {
    const high = words[2 * row + HIGH] as number;
    const low = words[2 * row + LOW] as number;
    const kind = cellKinds[high >>> 16];
    if (kind === NUMBER_KIND) numbers.push(doubles[row] as number);
    else if (kind === tags.word) ofWords[low] = (ofWords[low] as number) + 1;
    else if (kind === tags.text) texts.push(row);
    else if (kind === tags.uuid) uuids.push(low);
    else if (kind === tags.literal) ofLiterals[low] = (ofLiterals[low] as number) + 1;
    else if (kind === tags.other) counter.add(store.value(high, low), 1);
  }
  counter.addNumbers(numbers.filled());
  // Other columns share the dictionary.
  for (const [code, count] of ofWords.entries()) if (count > 0) counter.add(store.dictionary.text(code), count);
  for (const [index, count] of ofLiterals.entries()) counter.add(literalValues[index], count);
  counter.add(null, ofKind[tags.absent] as number);
  counter.addObjects((ofKind[tags.json] as number) + (ofKind[tags.geometry] as number));
  const position = (index: number) => words[2 * texts.at(index) + LOW] as number;
  const length = (index: number) => (words[2 * texts.at(index) + HIGH] as number) & LONGEST;
  counter.addTexts({
    length: texts.length,
    hashed: "bytes",
    at: (index) => store.heap.text(position(index), length(index)),
    hashAt: (index) => store.heap.hash(position(index), length(index)),
  });
  counter.addTexts({
    length: uuids.length,
    hashed: "uuid",
    at: (index) => store.uuids.text(uuids.at(index)),
    hashAt: (index) => store.uuids.hash(uuids.at(index)),
  });
}

/** A column as codes, with the values of the codes. */
export interface EncodedColumn {
  readonly codes: Int32Array;
  readonly values: readonly unknown[];
}

/** The payload of true. */
const TRUE = literalValues.indexOf(true);

/** The JSON types of values by the kinds of their cells, if the kind determines the type. */
const typesOfKinds: readonly (readonly [kind: number, type: ValueType])[] = [
  [NUMBER_KIND, "number"],
  [tags.absent, "null"],
  [tags.word, "string"],
  [tags.text, "string"],
  [tags.uuid, "string"],
  [tags.json, "json"],
  [tags.geometry, "json"],
];

/** A column over cells. Values are decoded when they are read; repeated strings are decoded once. */
export class CellColumn implements RecordColumn, CountedColumn {
  static {
    readsQuietly(CellColumn.prototype);
  }

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
    return high < BOXED ? this.#numbers[row] : this.#store.value(high, this.#words[2 * row + LOW] as number);
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

  /** Rows with other values than numbers. */
  rowsWithoutNumber(): readonly number[] {
    const rows: number[] = [];
    const words = this.#words;
    for (let at = HIGH; at < words.length; at += 2) if ((words[at] as number) >= BOXED) rows.push(at >> 1);
    return rows;
  }

  /** Rows with other values than null and geometries in flat coordinates. */
  rowsWithoutGeometry(): readonly number[] {
    const rows: number[] = [];
    const words = this.#words;
    for (let at = HIGH; at < words.length; at += 2) {
      const high = words[at] as number;
      if (high !== NULL_CELL && cellKinds[high >>> 16] !== tags.geometry) rows.push(at >> 1);
    }
    return rows;
  }

  countInto(counter: ValueCounter): void {
    countCells(this.#words, this.#store, counter);
  }

  countTypes(): TypeCounts {
    this.#types ??= this.#count();
    return this.#types;
  }

  /** The values as numbers; undefined if one of them is not a number. */
  numbers(): Float64Array | undefined {
    for (let row = 0; row < this.length; row += 1) if (!this.isNumber(row)) return undefined;
    return this.#numbers.slice();
  }

  /** The values as codes: values that repeat in the dictionary or as numbers are listed once. */
  encode(readJson: (text: string) => unknown = JSON.parse): EncodedColumn {
    const codes = new Int32Array(this.length);
    const values: unknown[] = [];
    const ofNumbers = new NumberCodes();
    // Codes + 1; 0 for no code yet.
    const ofWords = new Int32Array(this.#store.dictionary.size);
    const ofLiterals = new Int32Array(literalValues.length);
    const words = this.#words;
    for (let row = 0; row < codes.length; row += 1) {
      const high = words[2 * row + HIGH] ?? BOXED;
      const low = words[2 * row + LOW] as number;
      if (high < BOXED) {
        const code = ofNumbers.code(high, low, values.length);
        if (code === values.length) values.push(this.#numbers[row]);
        codes[row] = code;
        continue;
      }
      const tag = tagOf(high);
      // Absent values are null. Among other cells, only words and literals are equal if their values are.
      const code = tag === tags.word ? ofWords : tag === tags.literal || tag === tags.absent ? ofLiterals : undefined;
      const key = tag === tags.absent ? 0 : low;
      const entry = code?.[key] ?? 0;
      if (entry > 0) {
        codes[row] = entry - 1;
        continue;
      }
      codes[row] = values.length;
      values.push(tag === tags.json ? readJson(this.#store.jsonText(high, low)) : this.at(row));
      if (code) code[key] = values.length;
    }
    return { codes, values };
  }

  /** The words of all rows' UUIDs, if they are contiguous, as for a column without missing values. */
  uuidRun(): Uint32Array | undefined {
    const words = this.#words;
    const first = words[LOW] ?? 0;
    for (let row = 0; row < this.length; row += 1) {
      if (words[2 * row + HIGH] !== UUID_CELL || words[2 * row + LOW] !== first + row) return undefined;
    }
    return this.#store.uuids.run(first, this.length);
  }

  /** Packs the string of a row as a UUID, and returns whether the row has a string. */
  packUuid(row: number, words: Uint32Array, start: number): boolean {
    const high = this.#words[2 * row + HIGH] as number;
    if (high === UUID_CELL) {
      this.#store.uuids.copy(this.#words[2 * row + LOW] as number, words, start);
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
    counts.boolean = (ofKind[tags.literal] as number) - nulls;
    for (const [kind, type] of typesOfKinds) counts[type] += ofKind[kind] as number;
    if (ofKind[tags.other]) this.#countOthers(counts);
    return counts;
  }

  #countOthers(counts: Record<ValueType, number>): void {
    for (let row = 0; row < this.length; row += 1) {
      const high = this.#words[2 * row + HIGH] as number;
      if (high >= BOXED && tagOf(high) === tags.other) counts[typeOf(this.at(row))] += 1;
    }
  }
}
