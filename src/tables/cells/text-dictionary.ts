import { ascii, type JsonBytes } from "../json/scan-json.js";
import type { TextHeap } from "./text-heap.js";

const FIRST_SIZE = 1024;

/** Code of a string that the dictionary does not store, because few strings repeat. */
export const NOT_KEPT = -1;

/** A copy of the dictionary in another memory that looks up and adds strings with the same codes. */
interface DictionaryMirror {
  add(text: Uint8Array): void;
  /** Number of lookups there and here. */
  lookups: number;
  /** Ends the lookups. */
  close(): void;
}

/** Repeated strings, each stored once, with codes in order of first occurrence. */
export class TextDictionary {
  readonly #heap: TextHeap;
  readonly #positions: number[] = [];
  readonly #lengths: number[] = [];
  readonly #hashes: number[] = [];
  readonly #texts: string[] = [];
  /** Open addressing: code + 1 by hash, or 0 if free. */
  #slots = new Int32Array(0);
  readonly #guesses = new TextGuesses();
  #lookups = 0;
  #closed = true;
  #mirror: DictionaryMirror | undefined;

  /**
   * Sets fields twice that change late. V8 treats a field that was set once as constant, and discards the compiled
   * readers when it changes later, in the middle of the first page.
   */
  constructor(heap: TextHeap) {
    this.#heap = heap;
    this.#slots = new Int32Array(2 * FIRST_SIZE);
    this.#closed = false;
  }

  /** Number of strings. */
  get size(): number {
    return this.#positions.length;
  }

  /** Whether new strings are rejected. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Keeps a mirror up to date, starting with the existing strings; undefined for none. */
  follow(mirror: DictionaryMirror | undefined): void {
    const lookups = this.#lookups + (this.#mirror?.lookups ?? 0);
    this.#lookups = mirror ? 0 : lookups;
    this.#mirror = mirror;
    if (!mirror) return;
    mirror.lookups = lookups;
    if (this.#closed) mirror.close();
    else
      for (const [code, position] of this.#positions.entries())
        mirror.add(this.#heap.bytes(position, this.length(code)));
  }

  /** Adds a string that the mirror has added: it has the next code. */
  adopt(json: JsonBytes, start: number, end: number): void {
    if (this.size * 2 === this.#slots.length) this.#grow();
    const hash = hashOf(json, start, end);
    this.#keep(json, start, end, hash, this.#freeSlot(hash));
  }

  /**
   * Ends the addition of strings: if most are new, looking them up costs more than it saves. Existing strings keep
   * their codes.
   */
  close(): void {
    this.#closed = true;
    this.#slots = new Int32Array(0);
    this.#hashes.length = 0;
    this.#mirror?.close();
  }

  /** The code of `bytes[start … end)`, or `NOT_KEPT`. */
  code(json: JsonBytes, start: number, end: number): number {
    if (this.#closed) return NOT_KEPT;
    const hash = hashOf(json, start, end);
    this.#lookups += 1;
    const mask = this.#slots.length - 1;
    const length = end - start;
    let slot = hash & mask;
    for (;;) {
      const code = (this.#slots[slot] as number) - 1;
      if (code < 0) return this.#add(json, start, end, hash, slot);
      const same = this.#hashes[code] === hash && this.#lengths[code] === length;
      if (same && this.#heap.equals(this.#positions[code] as number, length, json, start)) return code;
      slot = (slot + 1) & mask;
    }
  }

  /**
   * The code of the quoted string at `start`, if a noted string with the same beginning is equal to it.
   *
   * @returns `NOT_KEPT` for other strings
   */
  guess(json: JsonBytes, start: number): number {
    const code = this.#closed ? -1 : this.#guesses.at(json, start);
    if (code < 0) return NOT_KEPT;
    const length = this.length(code);
    if (json.bytes[start + length] !== ascii.quote) return NOT_KEPT;
    if (!this.#heap.equals(this.#positions[code] as number, length, json, start)) return NOT_KEPT;
    this.#guesses.hit();
    this.#lookups += 1;
    return code;
  }

  /** Notes the code of the string at `start`, which was not guessed. It must have no escapes. */
  note(json: JsonBytes, start: number, code: number): void {
    this.#guesses.miss(json, start, code);
  }

  /** Length of the string of a code in bytes. */
  length(code: number): number {
    return this.#lengths[code] as number;
  }

  /** The string of a code, decoded once. */
  text(code: number): string {
    const cached = this.#texts[code];
    if (cached !== undefined) return cached;
    const text = this.#heap.text(this.#positions[code] as number, this.#lengths[code] as number);
    this.#texts[code] = text;
    return text;
  }

  #add(json: JsonBytes, start: number, end: number, hash: number, slot: number): number {
    let index = slot;
    if (this.size * 2 === this.#slots.length) {
      if (this.size * 2 > this.#lookups + (this.#mirror?.lookups ?? 0)) {
        this.close();
        return NOT_KEPT;
      }
      this.#grow();
      index = this.#freeSlot(hash);
    }
    this.#mirror?.add(json.bytes.subarray(start, end));
    return this.#keep(json, start, end, hash, index);
  }

  #keep(json: JsonBytes, start: number, end: number, hash: number, index: number): number {
    const code = this.#positions.push(this.#heap.append(json, start, end)) - 1;
    this.#lengths.push(end - start);
    this.#hashes.push(hash);
    this.#slots[index] = code + 1;
    return code;
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    this.#hashes.forEach((hash, code) => {
      this.#slots[this.#freeSlot(hash)] = code + 1;
    });
  }

  #freeSlot(hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    return slot;
  }
}

/** FNV-1a over four bytes at a time, then over the rest, with its high bits folded into the low ones. */
function hashOf({ bytes, view }: JsonBytes, start: number, end: number): number {
  let hash = 0x811c9dc5;
  let p = start;
  for (; p + 4 <= end; p += 4) hash = Math.imul(hash ^ view.getInt32(p, true), 0x01000193);
  for (; p < end; p += 1) hash = Math.imul(hash ^ (bytes[p] as number), 0x01000193);
  return hash ^ (hash >>> 15) ^ (hash >>> 7);
}

/** Number of bits of the table of guesses. */
const BITS = 9;
const WIDTH = 8;
/** Number of guesses before it is decided whether guessing pays. */
const TRIALS = 512;

/**
 * Guesses the code of a string from its first eight bytes; the guess must be checked. A correct guess avoids the search
 * for the end of the string.
 */
class TextGuesses {
  /** Code + 1 of the last string by a hash of its first bytes, 0 for none. Empty until the first string. */
  #codes = new Int32Array(0);
  #wrong = 0;
  #right = 0;

  /** A code, or -1. */
  at(json: JsonBytes, start: number): number {
    // Reading beyond the end of an array would make V8 discard the compiled readers.
    if (this.#codes.length === 0 || start + WIDTH > json.bytes.length) return -1;
    return (this.#codes[hashOfBytes(json, start)] as number) - 1;
  }

  /** Counts a correct guess. */
  hit(): void {
    this.#right += 1;
  }

  /** Notes the code of a string that was not guessed. */
  miss(json: JsonBytes, start: number, code: number): void {
    if (start + WIDTH > json.bytes.length || this.#isUseless) return;
    if (this.#codes.length === 0) this.#codes = new Int32Array(1 << BITS);
    this.#codes[hashOfBytes(json, start)] = code + 1;
    this.#wrong += 1;
    if (this.#isUseless) this.#codes = new Int32Array(0);
  }

  get #isUseless(): boolean {
    return this.#wrong > TRIALS && this.#wrong > this.#right;
  }
}

function hashOfBytes({ view }: JsonBytes, start: number): number {
  const mixed = Math.imul(view.getInt32(start, true), 0x9e3779b1) ^ view.getInt32(start + 4, true);
  return Math.imul(mixed, 0x85ebca6b) >>> (32 - BITS);
}
