import { isAscii } from "node:buffer";
import { ArgumentError } from "../../core/errors.js";
import { GrowingArray } from "../cells/growing-array.js";
import { type InstantForm, instantForm, instantLength, readInstant } from "../cells/instant-column.js";
import { ascii, JsonBytes } from "../json/scan-json.js";
import type { CodedValues, LogTimes } from "../read/log-columns.js";
import { isoTime, noTime, type ReadTime } from "../read/log-times.js";

/** Bytes of a CSV file followed by a line feed, at which every scan ends. */
export class CsvPiece extends JsonBytes {
  readonly length: number;
  readonly #buffer: Buffer;

  constructor(parts: readonly Uint8Array[]) {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const buffer = Buffer.allocUnsafeSlow(length + 1 + SLACK);
    let start = 0;
    for (const part of parts) {
      buffer.set(part, start);
      start += part.length;
    }
    buffer[length] = ascii.lineFeed;
    super(buffer);
    this.#buffer = buffer;
    this.length = length;
  }

  /** The string of ASCII bytes; other characters become several. */
  asciiText(start: number, end: number): string {
    return this.#buffer.toString("latin1", start, end);
  }
}

/** A column of a CSV file. */
export interface CsvColumn {
  /** Adds the next row: the bytes of its field, without quotes. */
  add(piece: CsvPiece, start: number, end: number): void;
}

/** A column of strings. Empty fields, quoted or not, are null. */
export class TextColumn implements CsvColumn {
  readonly #dictionary = new ByteDictionary();
  readonly #codes = new GrowingArray(Int32Array);

  add(piece: CsvPiece, start: number, end: number): void {
    this.#codes.push(start === end ? -1 : this.#dictionary.code(piece, start, end));
  }

  finish(): CodedValues {
    return { codes: this.#codes.filled(), values: this.#dictionary.texts() };
  }
}

/**
 * A column of times, which are parsed immediately: they are usually distinct, and longer as strings than as numbers.
 */
export class TimeColumn implements CsvColumn {
  readonly #option: string;
  readonly #read: ReadTime;
  readonly #us = new GrowingArray(Float64Array);
  readonly #isLocal = new GrowingArray(Uint8Array);
  /** The ISO 8601 form of the last time. Times of one form are parsed from their bytes, without a string. */
  #form: InstantForm | undefined;
  #length = 0;

  constructor(option: string, read: ReadTime) {
    this.#option = option;
    this.#read = read;
  }

  add(piece: CsvPiece, start: number, end: number): void {
    const us = this.#form && end - start === this.#length ? readInstant(piece, start, this.#form) : Number.NaN;
    if (Number.isNaN(us)) this.#addText(piece.asciiText(start, end));
    else this.#push(us, this.#form?.suffix !== "");
  }

  finish(): LogTimes {
    const isLocal = this.#isLocal.filled();
    return { us: this.#us.filled(), isLocal: isLocal.includes(1) ? isLocal : undefined, areTimes: true };
  }

  #addText(text: string): void {
    const time = this.#read(text);
    if (!time) throw noTime(this.#option, text === "" ? null : text, this.#us.length);
    this.#push(time.us, time.zoned);
    if (this.#read === isoTime) this.#learn(text);
  }

  #push(us: number, isZoned: boolean): void {
    this.#us.push(us);
    this.#isLocal.push(Number(!isZoned));
  }

  #learn(text: string): void {
    this.#form = instantForm(text);
    this.#length = this.#form ? instantLength(this.#form) : 0;
  }
}

/**
 * Maximum length of strings that are stored in their slots, which suffices for most repeated strings. Lookups elsewhere
 * are slow, because they usually miss the processor's cache.
 */
const SHORT = 12;
/** Words of a slot: see `ByteDictionary`. */
const SLOT = 4;

/** Number of readable bytes, with any content, that must follow every string that is looked up. */
const SLACK = SHORT;

/** Masks for three words of a string, by its length. */
const masks = new Int32Array(3 * (SHORT + 1));
new Uint8Array(masks.buffer).forEach((_, index, bytes) => {
  if (index % SHORT < Math.floor(index / SHORT)) bytes[index] = 0xff;
});

/** Up to this many bytes, all strings are slices of one string, which is several times faster. */
const MOST_AT_ONCE = 1 << 28;

/** Positions are 31-bit integers. */
const MOST_BYTES = 1 << 30;

/**
 * Strings by their bytes: equal strings have one code, in order of first occurrence. Strings are only created at the
 * end, once each.
 */
class ByteDictionary {
  /**
   * Slots by hash. A short string has its bytes, which contain no zero, and its code plus one. A longer string has its
   * length, a hash, the position of its bytes, and minus its code minus one. A code of 0 is a free slot.
   */
  #slots = new Int32Array(SLOT * 1024);
  /** The contiguous bytes of all strings. */
  #bytes = Buffer.allocUnsafeSlow(1 << 14);
  #view = viewOf(this.#bytes);
  /** Start of each string, and the end of the last one. */
  readonly #starts = new GrowingArray(Int32Array);
  #size = 0;

  constructor() {
    this.#starts.push(0);
  }

  /** The code of `bytes[start … end)`. */
  code(json: JsonBytes, start: number, end: number): number {
    const length = end - start;
    if (length > SHORT) return this.#longCode(json, start, length);
    const { view } = json;
    const mask = 3 * length;
    const a = view.getInt32(start, true) & (masks[mask] as number);
    const b = view.getInt32(start + 4, true) & (masks[mask + 1] as number);
    const c = view.getInt32(start + 8, true) & (masks[mask + 2] as number);
    const slots = this.#slots;
    const last = slots.length - 1;
    for (let slot = (mix(a, b, c) << 2) & last; ; slot = (slot + SLOT) & last) {
      const code = slots[slot + 3] as number;
      if (code > 0 && slots[slot] === a && slots[slot + 1] === b && slots[slot + 2] === c) return code - 1;
      if (code === 0) {
        slots[slot] = a;
        slots[slot + 1] = b;
        slots[slot + 2] = c;
        slots[slot + 3] = this.#size + 1;
        return this.#push(json, start, length);
      }
    }
  }

  #longCode(json: JsonBytes, start: number, length: number): number {
    const hash = hashOf(json, start, start + length);
    const slots = this.#slots;
    const last = slots.length - 1;
    for (let slot = (mix(length, hash, 0) << 2) & last; ; slot = (slot + SLOT) & last) {
      const code = slots[slot + 3] as number;
      const isLike = code < 0 && slots[slot] === length && slots[slot + 1] === hash;
      if (isLike && this.#has(slots[slot + 2] as number, json, start, length)) return -code - 1;
      if (code === 0) {
        slots[slot] = length;
        slots[slot + 1] = hash;
        slots[slot + 2] = this.#starts.at(this.#size);
        slots[slot + 3] = -this.#size - 1;
        return this.#push(json, start, length);
      }
    }
  }

  /** The strings by code. */
  texts(): string[] {
    const length = this.#size;
    const bounds = this.#starts.values;
    const bytes = this.#bytes.subarray(0, bounds[length]);
    // Bytes and characters have the same indices.
    if (bytes.length <= MOST_AT_ONCE && isAscii(bytes)) {
      const all = bytes.toString("latin1");
      return Array.from({ length }, (_, code) => all.slice(bounds[code], bounds[code + 1]));
    }
    return Array.from({ length }, (_, code) => bytes.toString("utf8", bounds[code], bounds[code + 1]));
  }

  /**
   * Whether a string of more than four bytes is at a position. The comparison of the last four bytes may overlap with
   * the previous ones.
   */
  #has(index: number, { view }: JsonBytes, start: number, length: number): boolean {
    const ownView = this.#view;
    const last = length - 4;
    for (let n = 0; n < last; n += 4) if (ownView.getInt32(index + n) !== view.getInt32(start + n)) return false;
    return ownView.getInt32(index + last) === view.getInt32(start + last);
  }

  /** Adds a string that has a slot. */
  #push({ bytes }: JsonBytes, start: number, length: number): number {
    const code = this.#size;
    const ownView = this.#starts.at(code);
    const end = ownView + length;
    if (end > this.#bytes.length) this.#growBytes(2 * end);
    const target = this.#bytes;
    for (let n = 0; n < length; n += 1) target[ownView + n] = bytes[start + n] as number;
    this.#size = code + 1;
    this.#starts.push(end);
    if (2 * SLOT * this.#size > this.#slots.length) this.#growSlots();
    return code;
  }

  #growBytes(length: number): void {
    if (length > 2 * MOST_BYTES) {
      throw new ArgumentError("A column has more than 1 GiB of different strings.", {
        hint: "Split the file, or convert it to Parquet.",
      });
    }
    const grown = Buffer.allocUnsafeSlow(length);
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = viewOf(this.#bytes);
  }

  #growSlots(): void {
    const old = this.#slots;
    const slots = new Int32Array(2 * old.length);
    const last = slots.length - 1;
    for (let from = 0; from < old.length; from += SLOT) {
      const code = old[from + 3] as number;
      if (code === 0) continue;
      const a = old[from] as number;
      const b = old[from + 1] as number;
      const c = old[from + 2] as number;
      let slot = ((code < 0 ? mix(a, b, 0) : mix(a, b, c)) << 2) & last;
      while (slots[slot + 3] !== 0) slot = (slot + SLOT) & last;
      slots[slot] = a;
      slots[slot + 1] = b;
      slots[slot + 2] = c;
      slots[slot + 3] = code;
    }
    this.#slots = slots;
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** Four bytes at a time. */
function hashOf({ bytes, view }: JsonBytes, start: number, end: number): number {
  let hash = 0;
  let p = start;
  for (; p + 4 <= end; p += 4) {
    hash = Math.imul(hash ^ view.getInt32(p, true), 0x9e37_79b1);
    hash ^= hash >>> 15;
  }
  for (; p < end; p += 1) hash = Math.imul(hash ^ (bytes[p] as number), 0x85eb_ca6b);
  return hash;
}

/** A hash of the words of a string. */
function mix(a: number, b: number, c: number): number {
  let mixed = Math.imul(a ^ Math.imul(b, 0x85eb_ca6b) ^ Math.imul(c, 0xc2b2_ae35), 0x27d4_eb2f);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b_3c6d);
  return mixed ^ (mixed >>> 13);
}
