import { isUuid } from "../../core/uuid.js";
import type { RecordColumn } from "../column/column.js";
import { jsonAt, readNumber } from "../json/read-value.js";
import { ascii, JsonBytes, MALFORMED, scanPlain, scanText, scanValue } from "../json/scan-json.js";
import { ABSENT, BOOLEAN_CELL, boxed, HIGH, LONGEST, LOW, NULL_CELL, tags, UUID_CELL } from "./cell.js";
import { CellColumn } from "./cell-column.js";
import { CellStore, type TextHeaps } from "./cell-store.js";
import { GeometryHeap } from "./geometry-heap.js";
import { NOT_KEPT } from "./text-dictionary.js";
import { NO_UUID } from "./uuid-heap.js";

/** Reads values of any type from bytes into the cells of one column, a page at a time. */
export class CellBuilder {
  /** Number of the column in its reader. */
  readonly index: number;
  readonly store: CellStore;
  protected numbers: Float64Array;
  protected words: Uint32Array;
  #used = false;

  constructor(index: number, capacity: number, heaps: TextHeaps, geometries?: GeometryHeap) {
    this.index = index;
    this.store = new CellStore(heaps, geometries);
    this.words = new Uint32Array(2 * capacity).fill(ABSENT);
    this.numbers = new Float64Array(this.words.buffer);
  }

  /**
   * Reads the value at `start` into a row.
   *
   * @returns the position after the value, or `MALFORMED`
   */
  read(json: JsonBytes, start: number, row: number): number {
    const { bytes } = json;
    this.#used = true;
    switch (bytes[start]) {
      case ascii.quote:
        return this.readText(json, start, row);
      case ascii.openBracket:
      case ascii.openBrace:
        return this.#readJson(json, start, row);
      case ascii.lowerN:
      case ascii.lowerF:
      case ascii.lowerT:
        return this.#readLiteral(json, start, row);
      default:
        return this.readNumber(json, start, row);
    }
  }

  /** Records that a record lacks a member whose absence must be visible. */
  readMissing(row: number): void {
    this.box(row, boxed(tags.other), this.store.keepOther(undefined));
  }

  /** Writes a value that was not read from bytes into cells that this builder returned. */
  replace(cells: Uint32Array, row: number, value: unknown): void {
    cells[2 * row + HIGH] = boxed(tags.other);
    cells[2 * row + LOW] = this.store.keepOther(value);
  }

  /** Makes a row absent again. A page with nothing but absent rows has no cells of this column. */
  clear(row: number): void {
    this.words[2 * row + HIGH] = ABSENT;
    this.words[2 * row + LOW] = ABSENT;
  }

  /** Replaces the builder's memory by memory that already holds its cells, and to which other code writes, too. */
  setCells(words: Uint32Array): void {
    this.words = words;
    this.numbers = new Float64Array(words.buffer, words.byteOffset, words.length / 2);
  }

  /** Records that other code wrote to the cells. */
  markUsed(): void {
    this.#used = true;
  }

  /** Makes room for a total of `capacity` rows. */
  reserve(capacity: number): void {
    const grown = new Uint32Array(2 * capacity).fill(ABSENT);
    grown.set(this.words);
    this.words = grown;
    this.numbers = new Float64Array(grown.buffer);
  }

  /**
   * The cells of the first rows, in the builder's own memory, valid until they are wiped; undefined if none was ever
   * read.
   */
  view(rowCount: number): Uint32Array | undefined {
    return this.#used ? this.words.subarray(0, 2 * rowCount) : undefined;
  }

  /** Makes the first rows absent. */
  wipe(rowCount: number): void {
    // The row after them may hold part of a malformed record.
    if (this.#used) this.words.fill(ABSENT, 0, 2 * (rowCount + 1));
    this.#used = false;
  }

  /** The finished column over cells that this builder returned. */
  finish(cells: Uint32Array): RecordColumn {
    return new CellColumn(cells, this.store);
  }

  /** Reads a string; in specialized columns, a string that does not fit their form. */
  protected readText(json: JsonBytes, start: number, row: number): number {
    const { dictionary } = this.store;
    const guess = dictionary.guess(json, start + 1);
    if (guess !== NOT_KEPT) {
      this.box(row, WORD_CELL, guess);
      return start + dictionary.length(guess) + 2;
    }
    const end = scanPlain(json, start + 1);
    if (json.bytes[end] !== ascii.quote) return this.#readEscaped(json.bytes, start, row);
    if (end - start - 1 > LONGEST) return this.readOther(json.bytes, start, end + 1, row);
    const code = this.#keepText(json, start + 1, end, row);
    if (code !== NOT_KEPT) dictionary.note(json, start + 1, code);
    return end + 1;
  }

  protected readNumber(json: JsonBytes, start: number, row: number): number {
    return readNumber(json, start, this.numbers, row);
  }

  /** Stores a value as it is. */
  protected readOther(bytes: Uint8Array, start: number, end: number, row: number): number {
    if (end !== MALFORMED) this.box(row, boxed(tags.other), this.store.keepOther(jsonAt(bytes, start, end)));
    return end;
  }

  protected box(row: number, high: number, payload: number): void {
    this.#used = true;
    this.words[2 * row + HIGH] = high;
    this.words[2 * row + LOW] = payload;
  }

  #keepText(json: JsonBytes, start: number, end: number, row: number): number {
    const code = this.store.dictionary.code(json, start, end);
    if (code !== NOT_KEPT) this.box(row, WORD_CELL, code);
    else this.box(row, boxed(tags.text, end - start), this.store.heap.append(json, start, end));
    return code;
  }

  #readEscaped(bytes: Uint8Array, start: number, row: number): number {
    const end = scanText(bytes, start);
    if (end === MALFORMED) return MALFORMED;
    const text = String(jsonAt(bytes, start, end));
    const plain = Buffer.from(text);
    // A lone surrogate has no UTF-8.
    if (plain.length > LONGEST || LONE_SURROGATE.test(text)) return this.readOther(bytes, start, end, row);
    this.#keepText(new JsonBytes(plain), 0, plain.length, row);
    return end;
  }

  #readJson(json: JsonBytes, start: number, row: number): number {
    const end = scanValue(json.bytes, start);
    const length = end - start;
    if (end === MALFORMED || length > LONGEST) return this.readOther(json.bytes, start, end, row);
    this.box(row, boxed(tags.json, length), this.store.heap.append(json, start, end));
    return end;
  }

  #readLiteral({ bytes, view }: JsonBytes, start: number, row: number): number {
    if (start + 5 > bytes.length) return MALFORMED;
    const isFalse = bytes[start] === ascii.lowerF;
    const four = view.getInt32(isFalse ? start + 1 : start, true);
    const code = isFalse ? (four === ALSE ? 1 : -1) : four === NULL ? 0 : four === TRUE ? 2 : -1;
    if (code < 0) return MALFORMED;
    this.box(row, code === 0 ? NULL_CELL : BOOLEAN_CELL, code);
    return start + (isFalse ? 5 : 4);
  }
}

const NULL = Buffer.from("null").readInt32LE();
const TRUE = Buffer.from("true").readInt32LE();
/** The bytes after the f of `false`. */
const ALSE = Buffer.from("alse").readInt32LE();

const WORD_CELL = boxed(tags.word);

const LONE_SURROGATE = /\p{Surrogate}/u;

const UUID_BYTES = 36;

/** Reads UUIDs, which never repeat: in lower case as words, with capital letters as strings. */
export class UuidBuilder extends CellBuilder {
  protected override readText(json: JsonBytes, start: number, row: number): number {
    const end = start + 1 + UUID_BYTES;
    if (json.bytes[end] !== ascii.quote) return this.readOther(json.bytes, start, scanText(json.bytes, start), row);
    const index = this.store.uuids.append(json, start + 1);
    if (index === NO_UUID) return this.#readRare(json, start, end, row);
    this.box(row, UUID_CELL, index);
    return end + 1;
  }

  #readRare(json: JsonBytes, start: number, end: number, row: number): number {
    const { buffer, byteOffset } = json.bytes;
    const text = Buffer.from(buffer, byteOffset + start + 1, UUID_BYTES).toString("latin1");
    if (!isUuid(text)) return this.readOther(json.bytes, start, scanText(json.bytes, start), row);
    this.box(row, boxed(tags.text, UUID_BYTES), this.store.heap.append(json, start + 1, end));
    return end + 1;
  }
}

/** Reads geometries: as flat coordinates if they are written in the usual form, otherwise as JSON text. */
export class GeometryBuilder extends CellBuilder {
  readonly #geometries: GeometryHeap;

  constructor(index: number, capacity: number, heaps: TextHeaps) {
    const geometries = new GeometryHeap();
    super(index, capacity, heaps, geometries);
    this.#geometries = geometries;
  }

  override read(json: JsonBytes, start: number, row: number): number {
    const end = json.bytes[start] === ascii.openBrace ? this.#geometries.read(json, start) : MALFORMED;
    if (end === MALFORMED) return super.read(json, start, row);
    this.box(row, boxed(tags.geometry), this.#geometries.last);
    return end;
  }
}
