import { type InstantForm, instantForm, instantLength, readInstant } from "../cells/instant-column.js";
import { ascii, JsonBytes } from "../json/scan-json.js";
import type { CodedValues, LogTimes } from "../read/log-columns.js";
import { isoTime, noTime, type ReadTime } from "../read/log-times.js";
import { ByteDictionary, grown, SLACK } from "./byte-dictionary.js";

/** Bytes of a CSV file with a line feed behind them, at which every scan ends. */
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

  /** The text of bytes that are ASCII; other characters become several. */
  asciiText(start: number, end: number): string {
    return this.#buffer.toString("latin1", start, end);
  }
}

/** A column of a CSV file. */
export interface CsvColumn {
  /** Adds the next row: the bytes of its field, without quotes. */
  add(piece: CsvPiece, start: number, end: number): void;
}

const FIRST_ROWS = 1 << 14;

/** A column of strings. Empty fields are null, with quotes or without. */
export class TextColumn implements CsvColumn {
  readonly #dictionary = new ByteDictionary();
  #codes = new Int32Array(FIRST_ROWS);
  #rows = 0;

  add(piece: CsvPiece, start: number, end: number): void {
    if (this.#rows === this.#codes.length) this.#codes = grown(this.#codes, new Int32Array(2 * this.#rows));
    this.#codes[this.#rows] = start === end ? -1 : this.#dictionary.code(piece, start, end);
    this.#rows += 1;
  }

  finish(): CodedValues {
    return { codes: this.#codes.subarray(0, this.#rows), values: this.#dictionary.texts() };
  }
}

/** A column of times, which are read at once: each is usually different, and its text is longer than its number. */
export class TimeColumn implements CsvColumn {
  readonly #option: string;
  readonly #read: ReadTime;
  #us = new Float64Array(FIRST_ROWS);
  #isLocal = new Uint8Array(FIRST_ROWS);
  #rows = 0;
  /** The form of the last time in ISO 8601. Times of one form are read from their bytes, without a string. */
  #form: InstantForm | undefined;
  #length = 0;

  constructor(option: string, read: ReadTime) {
    this.#option = option;
    this.#read = read;
  }

  add(piece: CsvPiece, start: number, end: number): void {
    const row = this.#rows;
    if (row === this.#us.length) {
      this.#us = grown(this.#us, new Float64Array(2 * row));
      this.#isLocal = grown(this.#isLocal, new Uint8Array(2 * row));
    }
    this.#rows += 1;
    if (this.#form && end - start === this.#length) {
      const us = readInstant(piece, start, this.#form);
      if (!Number.isNaN(us)) {
        this.#us[row] = us;
        this.#isLocal[row] = Number(this.#form.suffix === "");
        return;
      }
    }
    const text = piece.asciiText(start, end);
    const time = this.#read(text);
    if (!time) throw noTime(this.#option, text === "" ? null : text, row);
    this.#us[row] = time.us;
    this.#isLocal[row] = Number(!time.zoned);
    if (this.#read === isoTime) this.#learn(text);
  }

  #learn(text: string): void {
    this.#form = instantForm(text);
    this.#length = this.#form ? instantLength(this.#form) : 0;
  }

  finish(): LogTimes {
    const isLocal = this.#isLocal.subarray(0, this.#rows);
    return {
      us: this.#us.subarray(0, this.#rows),
      isLocal: isLocal.includes(1) ? isLocal : undefined,
      areTimes: true,
    };
  }
}
