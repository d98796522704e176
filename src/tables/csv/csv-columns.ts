import { GrowingArray } from "../cells/growing-array.js";
import { type InstantForm, instantForm, instantLength, readInstant } from "../cells/instant-column.js";
import { ascii, JsonBytes } from "../json/scan-json.js";
import type { CodedValues, LogTimes } from "../read/log-columns.js";
import { isoTime, noTime, type ReadTime } from "../read/log-times.js";
import { ByteDictionary, SLACK } from "./byte-dictionary.js";

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
