import { isUtf8 } from "node:buffer";
import { fieldProblem } from "../../api/check-record.js";
import type { Field, FieldType, Resource } from "../../api/contract.js";
import { resources } from "../../api/resources.js";
import {
  type DecodeContext,
  type Id,
  IdList,
  type Ids,
  type PageDecoder,
  readPagination,
} from "../../client/page/page-decoder.js";
import { depthError, protocolError } from "../../client/page/protocol-error.js";
import type { Pseudonym } from "../../client/page/pseudonym.js";
import { checkRow } from "../../client/page/violations.js";
import { valueKind } from "../../core/show-record-value.js";
import { BOOLEAN_CELL, BOXED, cellKinds, HIGH, LOW, NULL_CELL, NUMBER_KIND, tags, UUID_CELL } from "../cells/cell.js";
import type { UuidHeap } from "../cells/uuid-heap.js";
import { type RecordColumn, recordAt } from "../column/column.js";
import { jsonAt, readElements, readMembers } from "../json/read-value.js";
import { ascii, DeepJsonError, JsonBytes, MALFORMED, scanValue, skipSpace } from "../json/scan-json.js";
import { finishPage } from "./assemble-pages.js";
import type { ColumnPage, RecordReader } from "./record-reader.js";

/** Cells that certainly hold a value of a field's type: the kinds of numbers, and the tags. */
interface Fit {
  readonly number: "all" | "finite" | "integers" | "none";
  readonly tags: readonly number[];
}

const unsure: Fit = { number: "none", tags: [] };

const fits: Readonly<Record<FieldType, Fit>> = {
  integer: { number: "integers", tags: [] },
  number: { number: "finite", tags: [] },
  string: { number: "none", tags: [tags.word, tags.text] },
  boolean: { number: "none", tags: [tags.literal] },
  // A string in a column of UUIDs has capital letters.
  uuid: { number: "none", tags: [tags.uuid, tags.text] },
  // The cells of a timestamp hold a number if it has the column's form.
  timestamp: { number: "all", tags: [] },
  geometry: { number: "none", tags: [tags.geometry] },
  json: { number: "all", tags: Object.values(tags) },
  date: unsure,
  point: unsure,
  polygon: unsure,
  layout: unsure,
  object: unsure,
};

/** Kinds of cells as bits; null has its own. */
const NUMBER = 1 << NUMBER_KIND;
const NULL = NUMBER << 1;

const LITERAL = 1 << tags.literal;
const EVERY_KIND = (NULL << 1) - 1;

/** The content of a page besides its records, which went to the reader. */
interface PageFrame {
  /** The value of the member `data` if it is not an array; else undefined. */
  readonly wrongData: { readonly value: unknown } | undefined;
  /** The first element of `data` that is not an object. */
  readonly wrongElement: { readonly index: number; readonly value: unknown } | undefined;
  readonly pagination: unknown;
}

/**
 * Reads the bytes of a page: its records into the reader's columns, skipping unknown members.
 *
 * @throws SyntaxError if the bytes are not JSON in UTF-8, DeepJsonError if a value is nested too deeply
 */
export function readPage(body: Uint8Array, reader: RecordReader): PageFrame {
  const page = new PageReading(body, reader);
  // `TextDecoder` drops a byte-order mark.
  const start = skipSpace(body, body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0);
  const end = page.read(start);
  if (end === MALFORMED || skipSpace(body, end) !== body.length || !isUtf8(body)) {
    reader.restart();
    // The body is not quoted, because it may contain a person's name.
    throw new SyntaxError(`${body.length} bytes that are not JSON in UTF-8`);
  }
  return page;
}

/**
 * Rows of a page that violate the contract, in order. Cells are checked by their bits, and by their values only if the
 * bits are inconclusive.
 */
function brokenRows(reader: RecordReader, { cells, rowCount }: ColumnPage): readonly number[] {
  const contract: Resource = resources[reader.resource];
  const broken = new Set<number>();
  for (const [name, field] of Object.entries(contract.fields)) {
    const builder = reader.fields.get(name);
    const words = builder && cells.get(builder);
    const mayLack = name === reader.nested || (field.nullable !== false && !contract.neverOmits);
    if (words) collectBroken(words, builder.finish(words), field, mayLack, broken);
    else if (!mayLack) for (let row = 0; row < rowCount; row += 1) broken.add(row);
  }
  return [...broken].sort((a, b) => a - b);
}

function collectBroken(
  words: Uint32Array,
  column: RecordColumn,
  field: Field,
  mayLack: boolean,
  broken: Set<number>,
): void {
  const sure = sureKinds(words, field, mayLack);
  if (sure === EVERY_KIND || (kindsIn(words) & ~sure) === 0) return;
  for (let row = 0; row < column.length; row += 1) {
    if ((kindOf(words[2 * row + HIGH] as number) & sure) !== 0) continue;
    const keeps = column.has(row) ? fieldProblem(field, column.at(row), true) === undefined : mayLack;
    if (!keeps) broken.add(row);
  }
}

function kindOf(high: number): number {
  return high === NULL_CELL ? NULL : 1 << (cellKinds[high >>> 16] ?? NUMBER_KIND);
}

/** The combined kinds of the cells of a column. */
function kindsIn(words: Uint32Array): number {
  const count = tagsIn(words);
  return (count & LITERAL) === 0 ? count : (count & ~LITERAL) | literalsIn(words);
}

/** The kinds of cells, with null among the literals. Contains only the loop: see `countKinds`. */
function tagsIn(words: Uint32Array): number {
  let count = 0;
  for (let at = HIGH; at < words.length; at += 2) count |= 1 << (cellKinds[(words[at] as number) >>> 16] as number);
  return count;
}

/** The literals among cells. Without a branch, because the positions of null are unpredictable. */
function literalsIn(words: Uint32Array): number {
  let count = 0;
  for (let at = HIGH; at < words.length; at += 2) {
    const high = words[at] as number;
    const toNull = high ^ NULL_CELL;
    const toBoolean = high ^ BOOLEAN_CELL;
    count |= isZero(toNull) * NULL + isZero(toBoolean) * LITERAL;
  }
  return count;
}

/** 1 for 0, 0 for every other 32-bit integer. */
function isZero(bits: number): number {
  return ((bits | -bits) >>> 31) ^ 1;
}

/** The kinds of cells of a column that certainly fulfill the contract. */
function sureKinds(words: Uint32Array, field: Field, mayLack: boolean): number {
  const fit = field.values ? unsure : fits[field.type];
  const ofTags = fit.tags.reduce((sum, tag) => sum | (1 << tag), 0) & ~(1 << tags.absent);
  const ofNull = field.nullable !== false ? NULL : 0;
  return ofTags | ofNull | (mayLack ? 1 << tags.absent : 0) | (areNumbersFit(words, fit) ? NUMBER : 0);
}

/** Whether all numbers among the cells are of the required kind; other cells are NaN as numbers. */
function areNumbersFit(words: Uint32Array, { number }: Fit): boolean {
  const numbers = new Float64Array(words.buffer, words.byteOffset, words.length / 2);
  switch (number) {
    case "integers":
      return areSafeIntegers(numbers);
    case "finite":
      return !numbers.includes(Number.POSITIVE_INFINITY) && !numbers.includes(Number.NEGATIVE_INFINITY);
    default:
      return number === "all";
  }
}

function areSafeIntegers(numbers: Float64Array): boolean {
  for (let row = 0; row < numbers.length; row += 1) {
    const value = numbers[row] as number;
    if (!Number.isSafeInteger(value) && !Number.isNaN(value)) return false;
  }
  return true;
}

/** A page that is being read. For repeated members the last one counts, as in `JSON.parse`. */
class PageReading implements PageFrame {
  wrongData: PageFrame["wrongData"] = { value: undefined };
  wrongElement: PageFrame["wrongElement"];
  pagination: unknown;
  readonly #body: Uint8Array;
  readonly #json: JsonBytes;
  readonly #reader: RecordReader;

  constructor(body: Uint8Array, reader: RecordReader) {
    this.#body = body;
    this.#json = new JsonBytes(body);
    this.#reader = reader;
  }

  read(start: number): number {
    if (this.#body[start] !== ascii.openBrace) return scanValue(this.#body, start);
    return readMembers(this.#body, start, (name, p) => {
      if (name === "data") return this.#readData(p);
      const end = scanValue(this.#body, p);
      if (name === "pagination" && end !== MALFORMED) this.pagination = jsonAt(this.#body, p, end);
      return end;
    });
  }

  #readData(start: number): number {
    this.#reader.restart();
    this.wrongElement = undefined;
    this.wrongData = undefined;
    if (this.#body[start] === ascii.openBracket) {
      this.#reader.begin(this.#json);
      return readElements(this.#body, start, (_, p) => this.#readElement(p));
    }
    const end = scanValue(this.#body, start);
    if (end !== MALFORMED) this.wrongData = { value: jsonAt(this.#body, start, end) };
    return end;
  }

  #readElement(start: number): number {
    if (this.#body[start] === ascii.openBrace) return this.#reader.read(this.#json, start);
    const end = scanValue(this.#body, start);
    // All elements before it are records.
    if (end !== MALFORMED)
      this.wrongElement ??= { index: this.#reader.rowCount, value: jsonAt(this.#body, start, end) };
    return end;
  }
}

/**
 * A decoder that reads pages into a reader's columns, with the same results and errors as `decodeRecords`.
 *
 * @param cells whether to take the cells of a page out of the reader, or return a view that is valid until the next
 * page
 */
export function columnDecoder(reader: RecordReader, cells: "take" | "view" = "take"): PageDecoder<ColumnPage> {
  return (body, context) => {
    const frame = readShallow(body, reader, context);
    const page = reader[cells]();
    check(frame, page, reader, context);
    const ids = readIds(page, reader);
    if (context.pseudonym) redactCells(page, reader, context.pseudonym);
    return { content: page, ids, pagination: readPagination(frame.pagination, context.url) };
  };
}

/** @throws ProtocolError for a value that is nested too deeply, with its position */
function readShallow(body: Uint8Array, reader: RecordReader, { url }: DecodeContext): PageFrame {
  try {
    return readPage(body, reader);
  } catch (error) {
    if (!(error instanceof DeepJsonError)) throw error;
    reader.restart();
    const before = Buffer.from(body.subarray(0, error.offset)).toString();
    throw depthError(url, before, before.length);
  }
}

function check(frame: PageFrame, page: ColumnPage, reader: RecordReader, context: DecodeContext): void {
  const { wrongData, wrongElement } = frame;
  if (wrongData) throw protocolError(context.url, "$.data", `expected an array, got ${valueKind(wrongData.value)}`);
  const broken = brokenRows(reader, page);
  const columns = broken.length > 0 ? finishPage(reader, page) : undefined;
  for (const row of broken) {
    if (!columns || (wrongElement && row >= wrongElement.index)) break;
    checkRow(recordAt(columns, row), row, context);
  }
  if (wrongElement) checkRow(wrongElement.value, wrongElement.index, context);
}

function readIds(page: ColumnPage, reader: RecordReader): Ids {
  const builder = reader.fields.get("id");
  const cells = builder && page.cells.get(builder);
  return cells ? new IdColumn(cells, builder.finish(cells), builder.store.uuids) : new IdList([]);
}

/** Replaces person data (the contract's `personal` fields) in the cells of a page by pseudonyms. */
function redactCells({ cells }: ColumnPage, reader: RecordReader, pseudonym: Pseudonym): void {
  const contract: Resource = resources[reader.resource];
  for (const [name, { personal }] of Object.entries(contract.fields)) {
    const builder = reader.fields.get(name);
    const words = builder && cells.get(builder);
    if (!personal || !words) continue;
    const column = builder.finish(words);
    for (let row = 0; row < column.length; row += 1) {
      const value = column.at(row);
      if (value !== null && value !== undefined) builder.replace(words, row, pseudonym(value));
    }
  }
}

/** The ids of a page over their cells: integers, or UUIDs, which are compared by their words. */
class IdColumn implements Ids {
  readonly length: number;
  readonly #words: Uint32Array;
  readonly #column: RecordColumn;
  readonly #uuids: UuidHeap;

  /** @param uuids UUIDs of the column */
  constructor(words: Uint32Array, column: RecordColumn, uuids: UuidHeap) {
    this.length = column.length;
    this.#words = words;
    this.#column = column;
    this.#uuids = uuids;
  }

  at(row: number): Id | undefined {
    if (row < 0 || row >= this.length) return undefined;
    const id = this.#column.at(row);
    return typeof id === "string" ? id.toLowerCase() : Number(id);
  }

  isAscending(start: number, end: number): boolean {
    for (let row = start + 1; row < end; row += 1) if (!this.#isBelow(row - 1, row)) return false;
    return true;
  }

  #isBelow(before: number, row: number): boolean {
    const words = this.#words;
    const [high, highBefore] = [words[2 * row + HIGH] as number, words[2 * before + HIGH] as number];
    if (high === UUID_CELL && highBefore === UUID_CELL) {
      return this.#uuids.isBelow(words[2 * before + LOW] as number, words[2 * row + LOW] as number);
    }
    if (high < BOXED && highBefore < BOXED) return Number(this.#column.at(before)) < Number(this.#column.at(row));
    return (this.at(before) ?? 0) < (this.at(row) ?? 0);
  }
}
