import type { Column } from "../../columns/column/column.js";
import { firstIndex } from "../../core/first-index.js";

const WORDS = 4;

/** UUIDs in 16 bytes each instead of a text of 36 characters; they come out in lower case. */
export class UuidColumn implements Column<string> {
  readonly length: number;
  /** Four words of 32 bits a UUID, the most significant first: words in order are texts in order. */
  readonly words: Uint32Array;

  constructor(words: Uint32Array) {
    this.length = words.length / WORDS;
    this.words = words;
  }

  /** @param texts UUIDs in their usual form, in either case */
  static from(texts: readonly string[]): UuidColumn {
    const words = new Uint32Array(texts.length * WORDS);
    texts.forEach((text, row) => {
      packUuid(text, words, row * WORDS);
    });
    return new UuidColumn(words);
  }

  at(row: number): string {
    const start = row * WORDS;
    const [a, b, c, d] = [this.#hex(start), this.#hex(start + 1), this.#hex(start + 2), this.#hex(start + 3)];
    return `${a}-${b.slice(0, 4)}-${b.slice(4)}-${c.slice(0, 4)}-${c.slice(4)}${d}`;
  }

  *[Symbol.iterator](): Iterator<string> {
    for (let row = 0; row < this.length; row += 1) yield this.at(row);
  }

  /** The first rows, without a copy. */
  first(length: number): UuidColumn {
    return new UuidColumn(this.words.subarray(0, length * WORDS));
  }

  /** How many UUIDs of an ascending column are not above another. */
  countUpTo(text: string): number {
    const wanted = text.toLowerCase();
    return firstIndex(this.length, (row) => this.at(row) <= wanted);
  }

  /** Milliseconds since 1970 that a UUIDv7 was made at; undefined for any other UUID (RFC 9562, section 5.7). */
  timeMs(row: number): number | undefined {
    const start = row * WORDS;
    const [high, low, variant] = [this.words[start] ?? 0, this.words[start + 1] ?? 0, this.words[start + 2] ?? 0];
    const isVersion7 = ((low >>> 12) & 0xf) === 7 && variant >>> 30 === 0b10;
    return isVersion7 ? high * 0x1_0000 + (low >>> 16) : undefined;
  }

  #hex(word: number): string {
    return ((this.words[word] ?? 0) + 0x1_0000_0000).toString(16).slice(1);
  }
}

function packUuid(text: string, words: Uint32Array, start: number): void {
  let digits = 0;
  let word = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 45) continue;
    word = (word << 4) | hexDigit(code);
    digits += 1;
    if (digits % 8 === 0) words[start + digits / 8 - 1] = word;
  }
}

/** Value of a hexadecimal digit: the letters of both cases end in the same four bits. */
function hexDigit(code: number): number {
  return code > 57 ? (code & 0xf) + 9 : code & 0xf;
}
