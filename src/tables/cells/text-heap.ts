import { ArgumentError } from "../../core/errors.js";
import type { JsonBytes } from "../json/scan-json.js";

/** FNV-1a over four bytes at a time, then over the rest. */
export function textHash(view: DataView, start: number, end: number): number {
  let hash = 0x811c9dc5;
  let at = start;
  for (; at + 4 <= end; at += 4) hash = Math.imul(hash ^ view.getInt32(at, true), 0x01000193);
  for (; at < end; at += 1) hash = Math.imul(hash ^ view.getUint8(at), 0x01000193);
  return hash;
}

const SEGMENT = 1 << 20;
/** A cell has 32 bits for a position. */
const MOST_SEGMENTS = 2 ** 32 / SEGMENT;

/**
 * Contiguous bytes of strings. Segments are never moved, so growing needs no copy and no second memory; no string spans
 * two segments.
 */
export class TextHeap {
  readonly #segments: Buffer[] = [];
  readonly #views: DataView[] = [];
  /** The last segment. */
  #bytes = Buffer.alloc(0);
  #view = new DataView(this.#bytes.buffer);
  #used = SEGMENT;

  /**
   * Stores `bytes[start … end)`, at most `SEGMENT` bytes, and returns their position.
   *
   * @throws ArgumentError beyond 4 GiB
   */
  append({ bytes, view }: JsonBytes, start: number, end: number): number {
    const length = end - start;
    if (this.#used + length > SEGMENT) this.#addSegment();
    const offset = this.#used;
    // `set` needs a view of the part, which costs more than this loop except for long strings.
    if (length > 512) this.#bytes.set(bytes.subarray(start, end), offset);
    else {
      const target = this.#view;
      const fours = length & ~3;
      for (let n = 0; n < fours; n += 4) target.setInt32(offset + n, view.getInt32(start + n, true), true);
      for (let n = fours; n < length; n += 1) this.#bytes[offset + n] = bytes[start + n] as number;
    }
    this.#used = offset + length;
    return (this.#segments.length - 1) * SEGMENT + offset;
  }

  /** Position of the next string, and the free bytes there. */
  get end(): number {
    return (this.#segments.length - 1) * SEGMENT + this.#used;
  }

  get room(): number {
    return SEGMENT - this.#used;
  }

  /** Stores the bytes of several strings. There must be room for them. */
  appendBytes(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  /** The string at a position; its bytes are UTF-8. */
  text(position: number, length: number): string {
    const offset = position % SEGMENT;
    return this.#segments[(position - offset) / SEGMENT]?.toString("utf8", offset, offset + length) ?? "";
  }

  /** The bytes of the string at a position, without a copy. */
  bytes(position: number, length: number): Uint8Array {
    const offset = position % SEGMENT;
    return this.#segments[(position - offset) / SEGMENT]?.subarray(offset, offset + length) ?? new Uint8Array(0);
  }

  /** A 32-bit hash, equal for equal strings. */
  hash(position: number, length: number): number {
    const offset = position % SEGMENT;
    const view = this.#views[(position - offset) / SEGMENT];
    return view ? textHash(view, offset, offset + length) : 0;
  }

  /** Whether the string at a position is `bytes[start … start + length)`. */
  equals(position: number, length: number, { bytes, view }: JsonBytes, start: number): boolean {
    const offset = position % SEGMENT;
    // Segments exist only after the first string.
    if (length === 0) return true;
    const segment = this.#views[(position - offset) / SEGMENT];
    if (!segment) return false;
    let n = 0;
    for (; n + 4 <= length; n += 4) if (segment.getInt32(offset + n) !== view.getInt32(start + n)) return false;
    for (; n < length; n += 1) if (segment.getUint8(offset + n) !== bytes[start + n]) return false;
    return true;
  }

  /** Removes all strings. */
  clear(): void {
    this.#segments.length = 0;
    this.#views.length = 0;
    this.#used = SEGMENT;
  }

  #addSegment(): void {
    if (this.#segments.length === MOST_SEGMENTS) {
      throw new ArgumentError("The strings of one read have more than 4 GiB.", {
        hint: "Read fewer records at a time, for example site by site.",
      });
    }
    this.#bytes = Buffer.allocUnsafeSlow(SEGMENT);
    this.#view = new DataView(this.#bytes.buffer);
    this.#segments.push(this.#bytes);
    this.#views.push(this.#view);
    this.#used = 0;
  }
}
