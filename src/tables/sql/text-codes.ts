import type { DuckDBDataChunk, DuckDBVector } from "@duckdb/node-api";
import type { CodedValues } from "../read/log-columns.js";

/** Maximum length in bytes of strings that DuckDB stores in its vectors; for longer ones it stores a pointer. */
export const SHORT = 12;
/** 32-bit words of a string in a vector: its length, and the bytes or a pointer. */
const WORDS = 4;

/** The strings of a chunk in DuckDB's format. */
interface ChunkTexts {
  readonly words: Uint32Array;
  readonly count: number;
  isNull(item: number): boolean;
  text(item: number): string;
}

/** The used part of vectors. It is not public, but creating a value of each item takes many times longer. */
interface RawVector {
  readonly dataView: DataView;
  readonly items: unknown;
  readonly validity: { readonly data: unknown; itemValid(item: number): boolean };
}

function rawVector(chunk: DuckDBDataChunk, column: number): RawVector {
  return chunk.getColumnVector(column) as unknown as RawVector;
}

export function itemsOf<Items>(chunk: DuckDBDataChunk, column: number): Items {
  return rawVector(chunk, column).items as Items;
}

export function textsOf(chunk: DuckDBDataChunk, column: number, count: number): ChunkTexts {
  const vector: DuckDBVector = chunk.getColumnVector(column);
  const { dataView, validity } = rawVector(chunk, column);
  const areThere = validity.data === null;
  return {
    words: new Uint32Array(dataView.buffer, dataView.byteOffset, WORDS * count),
    count,
    isNull: (item) => !areThere && !validity.itemValid(item),
    text: (item) => vector.getItem(item) as string,
  };
}

export const noHashes: Uint32Array = new Uint32Array(0);

/** 64-bit hashes as words. */
export function hashesOf(chunk: DuckDBDataChunk, column: number): Uint32Array {
  const { buffer, byteOffset, length } = itemsOf<BigUint64Array>(chunk, column);
  return new Uint32Array(buffer, byteOffset, 2 * length);
}

/** Strings as codes in order of first occurrence; each string is created once. */
export class TextCodes implements CodedValues {
  readonly codes: Int32Array;
  readonly values: string[] = [];
  /** Codes plus one by hash; 0 is free. */
  #table = new Int32Array(1024);
  /** The data that identify strings, by code: all bytes of short ones; length, prefix and hash of long ones. */
  #words = new Uint32Array(WORDS * 1024);

  constructor(length: number) {
    this.codes = new Int32Array(length);
  }

  /** @param hashes hashes of the long ones */
  add(texts: ChunkTexts, hashes: Uint32Array, start: number): void {
    const { words, count } = texts;
    const { codes } = this;
    for (let item = 0; item < count; item += 1) {
      if (texts.isNull(item)) {
        codes[start + item] = -1;
        continue;
      }
      const at = WORDS * item;
      const length = words[at] as number;
      const isLong = length > SHORT;
      const b = (isLong ? hashes[2 * item] : words[at + 2]) as number;
      const c = (isLong ? hashes[2 * item + 1] : words[at + 3]) as number;
      const a = words[at + 1] as number;
      const code = this.#find(length, a, b, c);
      codes[start + item] = code >= 0 ? code : this.#push(texts.text(item), length, a, b, c);
    }
  }

  #find(length: number, a: number, b: number, c: number): number {
    const table = this.#table;
    const words = this.#words;
    const mask = table.length - 1;
    let slot = mix(length, a, b, c) & mask;
    for (let code = (table[slot] as number) - 1; code >= 0; code = (table[slot] as number) - 1) {
      const offset = WORDS * code;
      if (words[offset] === length && words[offset + 1] === a && words[offset + 2] === b && words[offset + 3] === c)
        return code;
      slot = (slot + 1) & mask;
    }
    return -1;
  }

  #push(text: string, length: number, a: number, b: number, c: number): number {
    const code = this.values.push(text) - 1;
    if (WORDS * this.values.length > this.#words.length) {
      const words = new Uint32Array(2 * this.#words.length);
      words.set(this.#words);
      this.#words = words;
    }
    this.#words.set([length, a, b, c], WORDS * code);
    if (2 * this.values.length > this.#table.length) this.#grow();
    else this.#enter(code);
    return code;
  }

  #grow(): void {
    this.#table = new Int32Array(2 * this.#table.length);
    for (let code = 0; code < this.values.length; code += 1) this.#enter(code);
  }

  #enter(code: number): void {
    const [table, words, offset] = [this.#table, this.#words, WORDS * code];
    const mask = table.length - 1;
    let slot =
      mix(
        words[offset] as number,
        words[offset + 1] as number,
        words[offset + 2] as number,
        words[offset + 3] as number,
      ) & mask;
    while (table[slot] !== 0) slot = (slot + 1) & mask;
    table[slot] = code + 1;
  }
}

/** A hash of the data that identify a string. */
function mix(length: number, a: number, b: number, c: number): number {
  let mixed = Math.imul(
    length ^ Math.imul(a, 0x9e37_79b1) ^ Math.imul(b, 0x85eb_ca6b) ^ Math.imul(c, 0xc2b2_ae35),
    0x27d4_eb2f,
  );
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b_3c6d);
  return mixed ^ (mixed >>> 13);
}
