import type { JsonBytes } from "../json/scan-json.js";

/** How many texts can be guessed, and the bits of their number. */
const BITS = 9;
const WIDTH = 8;
/** Guesses after which it is known whether guessing pays. */
const TRIALS = 512;

/**
 * Which code a text may have, told from the eight bytes with which it begins: a guess to be checked. A text that is
 * guessed is read without looking for its end.
 */
export class TextGuesses {
  /** Code + 1 of the last text by a hash of its first bytes, 0 for none. Empty until there is one. */
  #codes = new Int32Array(0);
  #wrong = 0;
  #right = 0;

  /** A code, or -1. */
  at(json: JsonBytes, start: number): number {
    // To read beyond an array would make V8 throw the compiled readers away.
    if (this.#codes.length === 0 || start + WIDTH > json.bytes.length) return -1;
    return (this.#codes[hashOf(json, start)] as number) - 1;
  }

  /** Says that a guess was right. */
  hit(): void {
    this.#right += 1;
  }

  /** Notes the code of a text that was not guessed. */
  miss(json: JsonBytes, start: number, code: number): void {
    if (start + WIDTH > json.bytes.length || this.#isUseless) return;
    if (this.#codes.length === 0) this.#codes = new Int32Array(1 << BITS);
    this.#codes[hashOf(json, start)] = code + 1;
    this.#wrong += 1;
    if (this.#isUseless) this.#codes = new Int32Array(0);
  }

  get #isUseless(): boolean {
    return this.#wrong > TRIALS && this.#wrong > this.#right;
  }
}

function hashOf({ view }: JsonBytes, start: number): number {
  const mixed = Math.imul(view.getInt32(start, true), 0x9e3779b1) ^ view.getInt32(start + 4, true);
  return Math.imul(mixed, 0x85ebca6b) >>> (32 - BITS);
}
