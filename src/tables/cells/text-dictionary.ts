import { ascii, type JsonBytes } from "../json/scan-json.js";
import type { TextHeap } from "./text-heap.js";

const FIRST_SIZE = 1024;

/** A text that the dictionary does not take, since too few repeat. */
export const NOT_KEPT = -1;

/** Another place where texts are looked up, and added, with the same codes. */
interface DictionaryMirror {
  add(text: Uint8Array): void;
  /** How many were looked up there, and before. */
  lookups: number;
  /** Texts are not looked up any more. */
  close(): void;
}

/** Texts that repeat, each kept once, by code in order of first appearance. */
export class TextDictionary {
  readonly #heap: TextHeap;
  readonly #positions: number[] = [];
  readonly #lengths: number[] = [];
  readonly #hashes: number[] = [];
  readonly #texts: string[] = [];
  /** Open addressing: code + 1 by hash, 0 where free. */
  #slots = new Int32Array(0);
  readonly #guesses = new TextGuesses();
  #lookups = 0;
  #closed = true;
  #mirror: DictionaryMirror | undefined;

  /**
   * Sets fields a second time that change late: V8 takes a field that was set once for constant, and throws the compiled
   * readers away, in the middle of the first page, when it changes after all.
   */
  constructor(heap: TextHeap) {
    this.#heap = heap;
    this.#slots = new Int32Array(2 * FIRST_SIZE);
    this.#closed = false;
  }

  /** Number of texts. */
  get size(): number {
    return this.#positions.length;
  }

  /** Whether new texts are taken no more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Keeps a mirror up to date, from the texts that there are already on; none if it is undefined. */
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

  /** Takes over a text that the mirror has added: it has the next code. */
  adopt(json: JsonBytes, start: number, end: number): void {
    if (this.size * 2 === this.#slots.length) this.#grow();
    const hash = hashOf(json, start, end);
    this.#keep(json, start, end, hash, this.#freeSlot(hash));
  }

  /** Takes no further texts: where most are new, looking them up costs more than it saves. Those there are keep their codes. */
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
   * The code of the text between quotes that begins at `start`, if it begins like one that was noted and is the same.
   *
   * @returns `NOT_KEPT` for any other
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

  /** Notes the code of a text that begins at `start` and was not guessed. It must stand there without any escape. */
  note(json: JsonBytes, start: number, code: number): void {
    this.#guesses.miss(json, start, code);
  }

  /** Bytes of the text of a code. */
  length(code: number): number {
    return this.#lengths[code] as number;
  }

  /** The text of a code, decoded once. */
  text(code: number): string {
    const known = this.#texts[code];
    if (known !== undefined) return known;
    const text = this.#heap.text(this.#positions[code] as number, this.#lengths[code] as number);
    this.#texts[code] = text;
    return text;
  }

  #add(json: JsonBytes, start: number, end: number, hash: number, slot: number): number {
    let place = slot;
    if (this.size * 2 === this.#slots.length) {
      if (this.size * 2 > this.#lookups + (this.#mirror?.lookups ?? 0)) {
        this.close();
        return NOT_KEPT;
      }
      this.#grow();
      place = this.#freeSlot(hash);
    }
    this.#mirror?.add(json.bytes.subarray(start, end));
    return this.#keep(json, start, end, hash, place);
  }

  #keep(json: JsonBytes, start: number, end: number, hash: number, place: number): number {
    const code = this.#positions.push(this.#heap.append(json, start, end)) - 1;
    this.#lengths.push(end - start);
    this.#hashes.push(hash);
    this.#slots[place] = code + 1;
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

/** FNV-1a over four bytes at a time, then over the rest, its high bits folded into the low ones. */
function hashOf({ bytes, view }: JsonBytes, start: number, end: number): number {
  let hash = 0x811c9dc5;
  let p = start;
  for (; p + 4 <= end; p += 4) hash = Math.imul(hash ^ view.getInt32(p, true), 0x01000193);
  for (; p < end; p += 1) hash = Math.imul(hash ^ (bytes[p] as number), 0x01000193);
  return hash ^ (hash >>> 15) ^ (hash >>> 7);
}

/** How many texts can be guessed, and the bits of their number. */
const BITS = 9;
const WIDTH = 8;
/** Guesses after which it is known whether guessing pays. */
const TRIALS = 512;

/**
 * Which code a text may have, told from the eight bytes with which it begins: a guess to be checked. A text that is
 * guessed is read without looking for its end.
 */
class TextGuesses {
  /** Code + 1 of the last text by a hash of its first bytes, 0 for none. Empty until there is one. */
  #codes = new Int32Array(0);
  #wrong = 0;
  #right = 0;

  /** A code, or -1. */
  at(json: JsonBytes, start: number): number {
    // To read beyond an array would make V8 throw the compiled readers away.
    if (this.#codes.length === 0 || start + WIDTH > json.bytes.length) return -1;
    return (this.#codes[hashOfBytes(json, start)] as number) - 1;
  }

  /** Says that a guess was right. */
  hit(): void {
    this.#right += 1;
  }

  /** Notes the code of a text that was not guessed. */
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
