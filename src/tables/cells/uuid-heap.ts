import { compareUuids, UUID_WORDS, uuidText } from "../../core/uuid.js";
import { ascii, fourHexDigits, type JsonBytes } from "../json/scan-json.js";
import { GrowingArray } from "./growing-array.js";

/** The bytes are not a UUID in lower case. */
export const NO_UUID = -1;

/** UUIDs in lower case as contiguous words. */
export class UuidHeap {
  readonly #words = new GrowingArray(Uint32Array, 0);

  /** Stores the UUID of 36 bytes at `start`, and returns its index; `NO_UUID` for other bytes. */
  append(json: JsonBytes, start: number): number {
    const { bytes } = json;
    const hasHyphens =
      bytes[start + 8] === ascii.minus &&
      bytes[start + 13] === ascii.minus &&
      bytes[start + 18] === ascii.minus &&
      bytes[start + 23] === ascii.minus;
    if (!hasHyphens) return NO_UUID;
    const a = fourHexDigits(json, start);
    const b = fourHexDigits(json, start + 4);
    const c = fourHexDigits(json, start + 9);
    const d = fourHexDigits(json, start + 14);
    const e = fourHexDigits(json, start + 19);
    const f = fourHexDigits(json, start + 24);
    const g = fourHexDigits(json, start + 28);
    const h = fourHexDigits(json, start + 32);
    if ((a | b | c | d | e | f | g | h) < 0) return NO_UUID;
    this.#words.reserve(UUID_WORDS);
    const { values, length } = this.#words;
    values[length] = (a << 16) | b;
    values[length + 1] = (c << 16) | d;
    values[length + 2] = (e << 16) | f;
    values[length + 3] = (g << 16) | h;
    this.#words.length = length + UUID_WORDS;
    return length / UUID_WORDS;
  }

  /** Number of UUIDs. */
  get length(): number {
    return this.#words.length / UUID_WORDS;
  }

  /** Stores the UUIDs of some words. */
  appendWords(words: Uint32Array): void {
    this.#words.reserve(words.length);
    this.#words.values.set(words, this.#words.length);
    this.#words.length += words.length;
  }

  text(index: number): string {
    return uuidText(this.#words.values, UUID_WORDS * index);
  }

  /** A 32-bit hash, equal for equal UUIDs. */
  hash(index: number): number {
    const { values } = this.#words;
    const end = UUID_WORDS * (index + 1);
    let hash = 0x811c9dc5;
    for (let at = end - UUID_WORDS; at < end; at += 1) hash = Math.imul(hash ^ (values[at] as number), 0x01000193);
    return hash;
  }

  /** Whether one UUID is below another. */
  isBelow(before: number, index: number): boolean {
    const { values } = this.#words;
    return compareUuids(values, UUID_WORDS * before, values, UUID_WORDS * index) < 0;
  }

  /** A copy of the words of `count` contiguous UUIDs. */
  run(first: number, count: number): Uint32Array {
    return this.#words.values.slice(UUID_WORDS * first, UUID_WORDS * (first + count));
  }

  /** Copies the words of a UUID. */
  copy(index: number, words: Uint32Array, start: number): void {
    const { values } = this.#words;
    const from = UUID_WORDS * index;
    words[start] = values[from] as number;
    words[start + 1] = values[from + 1] as number;
    words[start + 2] = values[from + 2] as number;
    words[start + 3] = values[from + 3] as number;
  }

  /** Removes all UUIDs. Their memory is reused. */
  clear(): void {
    this.#words.length = 0;
  }
}
