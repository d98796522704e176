import {
  type InstantForm,
  instantForm,
  instantLength,
  readInstant,
  SPACED_HOUR_MARKS,
} from "../cells/instant-column.js";
import { ascii, JsonBytes } from "../json/scan-json.js";
import type { CodedValues, LogTimes } from "../read/log-columns.js";
import { ByteDictionary, grown, SLACK } from "./byte-dictionary.js";
import type { RecordSplitter } from "./record-splitter.js";

const FIRST_ROWS = 1 << 14;

/** Different texts of more bytes than this are for DuckDB, which need not hold them: places are numbers of 31 bits. */
const MOST_TEXT = 1 << 30;

/** A column of texts; an empty one is null, in quotes too, as DuckDB has it. */
export class TextColumn {
  readonly #field: number;
  readonly #dictionary = new ByteDictionary();
  #codes = new Int32Array(FIRST_ROWS);
  #rows = 0;

  /** @param field its place in a record */
  constructor(field: number) {
    this.#field = field;
  }

  /** Reads it from records that were split; false if its texts are too many. */
  add(csv: JsonBytes, { starts, ends, width }: RecordSplitter, records: number): boolean {
    const rows = this.#rows + records;
    if (rows > this.#codes.length) this.#codes = grown(this.#codes, new Int32Array(2 * rows));
    const codes = this.#codes;
    for (let row = this.#rows, place = this.#field; row < rows; row += 1, place += width) {
      const start = starts[place] as number;
      const end = ends[place] as number;
      if (end < 0) codes[row] = this.#doubledCode(csv, start, ~end);
      else codes[row] = start === end ? -1 : this.#dictionary.code(csv, start, end);
    }
    this.#rows = rows;
    return this.#dictionary.byteLength <= MOST_TEXT;
  }

  finish(): CodedValues {
    return { codes: this.#codes.subarray(0, this.#rows), values: this.#dictionary.texts() };
  }

  /** The code of a text in which quotes are written twice. */
  #doubledCode({ bytes }: JsonBytes, start: number, end: number): number {
    const plain = new JsonBytes(new Uint8Array(end - start + SLACK));
    let length = 0;
    for (let p = start; p < end; p += 1) {
      const byte = bytes[p] as number;
      plain.bytes[length] = byte;
      length += 1;
      if (byte === ascii.quote) p += 1;
    }
    return this.#dictionary.code(plain, 0, length);
  }
}

/** DuckDB's types of the columns of times and integers that are read here. */
type DatedType = "TIMESTAMP" | "TIMESTAMP WITH TIME ZONE" | "BIGINT";

/** DuckDB takes no larger ones. */
const MOST_OFFSET_US = 15 * 3_600_000_000;

/** Bytes of a time beyond which it is none. */
const LONGEST = 40;

/** A column of times as ISO 8601 has them, or of integers: all of one type, and none missing. */
export class DatedColumn {
  readonly #field: number;
  #us = new Float64Array(FIRST_ROWS);
  #rows = 0;
  #type: DatedType | undefined;
  #form: InstantForm = { decimals: 0, suffix: "", offsetUs: 0 };
  #length = 0;
  #hourMarks: number | undefined;

  /** @param field its place in a record */
  constructor(field: number) {
    this.#field = field;
  }

  /** Undefined as long as there was no row. */
  get type(): DatedType | undefined {
    return this.#type;
  }

  /** Reads it from records that were split; false if one has anything else. */
  add(csv: JsonBytes, { starts, ends, width }: RecordSplitter, records: number): boolean {
    const rows = this.#rows + records;
    if (rows > this.#us.length) this.#us = grown(this.#us, new Float64Array(2 * rows));
    const us = this.#us;
    for (let row = this.#rows, place = this.#field; row < rows; row += 1, place += width) {
      const value = this.#read(csv, starts[place] as number, ends[place] as number);
      if (Number.isNaN(value)) return false;
      us[row] = value;
    }
    this.#rows = rows;
    return true;
  }

  finish(): LogTimes {
    const us = this.#us.subarray(0, this.#rows);
    const isLocal = this.#type === "TIMESTAMP" ? new Uint8Array(us.length).fill(1) : undefined;
    return { us, isLocal, areTimes: this.#type !== "BIGINT" };
  }

  /** Microseconds, or an integer; NaN of anything else. */
  #read(csv: JsonBytes, start: number, end: number): number {
    if (end - start === this.#length) {
      const us = readInstant(csv, start, this.#form, this.#hourMarks);
      if (!Number.isNaN(us)) return us;
    }
    if (this.#type === undefined || this.#type === "BIGINT") {
      const number = readInteger(csv.bytes, start, end);
      if (!Number.isNaN(number)) {
        this.#type = "BIGINT";
        return number;
      }
    }
    return this.#learn(csv, start, end);
  }

  /** Reads a time that has another form than the one before. */
  #learn(csv: JsonBytes, start: number, end: number): number {
    const form = instantForm(String.fromCharCode(...csv.bytes.subarray(start, Math.min(end, start + LONGEST))));
    if (!form || Math.abs(form.offsetUs) > MOST_OFFSET_US) return Number.NaN;
    const type = form.suffix === "" ? "TIMESTAMP" : "TIMESTAMP WITH TIME ZONE";
    this.#type ??= type;
    if (this.#type !== type) return Number.NaN;
    this.#form = form;
    this.#length = instantLength(form);
    this.#hourMarks = csv.bytes[start + 10] === ascii.space ? SPACED_HOUR_MARKS : undefined;
    return readInstant(csv, start, form, this.#hourMarks);
  }
}

/** Digits that a double holds whatever they are. */
const MOST_DIGITS = 15;

/** The integer that is written there; NaN of anything else. */
function readInteger(bytes: Uint8Array, start: number, end: number): number {
  const isNegative = bytes[start] === ascii.minus;
  const first = isNegative ? start + 1 : start;
  if (end <= first || end - first > MOST_DIGITS) return Number.NaN;
  let number = 0;
  for (let p = first; p < end; p += 1) {
    const digit = (bytes[p] as number) - ascii.zero;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = 10 * number + digit;
  }
  return isNegative ? 0 - number : number;
}
