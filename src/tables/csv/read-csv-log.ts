import { isUtf8 } from "node:buffer";
import { type FileHandle, open } from "node:fs/promises";
import { ascii, JsonBytes } from "../json/scan-json.js";
import type { CodedValues, LogTimes } from "../read/log-columns.js";
import { SLACK } from "./byte-dictionary.js";
import { DatedColumn, TextColumn } from "./csv-columns.js";
import { ODD, RecordSplitter } from "./record-splitter.js";

/** What DuckDB's `sniff_csv` says of how a file is written. */
export interface CsvDialect {
  readonly delimiter: string;
  readonly quote: string;
  readonly escape: string;
  readonly newLine: string;
  readonly comment: string;
  readonly skipRows: number;
  readonly hasHeader: boolean;
  readonly timestampFormat: string | null;
  /** Types of the columns by their names, in their order. */
  readonly types: ReadonlyMap<string, string>;
}

/** Columns of a file of CSV by the options that name them. */
export interface CsvLog {
  readonly length: number;
  readonly texts: ReadonlyMap<string, CodedValues>;
  readonly dated: ReadonlyMap<string, LogTimes>;
}

/** A log as it was read, if the file is written as it seemed. */
export interface SupposedCsvLog {
  /** Whether DuckDB reads the file in the same way. */
  agrees(dialect: CsvDialect): boolean;
  finish(): CsvLog;
}

/** Names that DuckDB takes for patterns, compressed files, or folders that say columns. */
const PATTERN = /[*?[\]{}=]|:\/\/|\.(gz|zst)$/i;

/**
 * Reads a log from a file of CSV without making texts of its fields; DuckDB takes several times as long to hand them over. It
 * reads what leaves no doubt how DuckDB would read it. That is told from the whole file; what it cannot tell,
 * such as whether there are comments, `agrees()` takes from DuckDB.
 *
 * @param columns names by their options
 * @param isDated whether the column of an option has times or numbers that say an order
 * @returns undefined for a file that DuckDB must read: whose fields are quoted in part, whose records differ in length,
 *   which is not UTF-8, whose times have other forms than ISO 8601 or are missing
 */
export async function readCsvLog(
  path: string,
  columns: ReadonlyMap<string, string>,
  isDated: (option: string) => boolean,
): Promise<SupposedCsvLog | undefined> {
  if (PATTERN.test(path) || new Set(columns.values()).size < columns.size) return undefined;
  // DuckDB says why there is no such file.
  const file = await open(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    // A pipe can be read once only.
    return (await file.stat()).isFile() ? await readFile(file, columns, isDated) : undefined;
  } finally {
    await file.close();
  }
}

/** Bytes that are read at once. DuckDB takes no records of more than 2,000,000, and here none is longer than two pieces. */
const PIECE = 1 << 19;

async function readFile(
  file: FileHandle,
  columns: ReadonlyMap<string, string>,
  isDated: (option: string) => boolean,
): Promise<SupposedCsvLog | undefined> {
  const buffer = Buffer.allocUnsafeSlow(PIECE);
  // DuckDB says why a file cannot be read.
  const readOn = () => file.read(buffer, 0, PIECE).catch(() => undefined);
  const json = new JsonBytes(new Uint8Array(2 * PIECE + 3 + SLACK));
  const { bytes } = json;
  let reader: CsvReader | undefined;
  let rest = 0;
  for (let reading = readOn(); ; ) {
    const read = await reading;
    if (!read) return undefined;
    const isLast = read.bytesRead === 0;
    bytes.set(buffer.subarray(0, read.bytesRead), rest);
    let end = rest + read.bytesRead;
    if (isLast && end > 0) {
      for (const byte of reader?.endOfLine ?? []) bytes[end++] = byte;
    }
    bytes[end] = 0;
    // The next piece is read while this one is taken.
    if (!isLast) reading = readOn();
    reader ??= openReader(json, end, columns, isDated);
    const taken = reader?.take(json, end) ?? ODD;
    rest = end - taken;
    if (taken === ODD || rest > PIECE || (isLast && rest > 0)) {
      await reading;
      return undefined;
    }
    if (isLast) return reader;
    bytes.copyWithin(0, taken, end);
  }
}

const DELIMITERS = [",", ";", "\t", "|"];

/** Reads the line with the names of columns; undefined if they are not those that are wanted. */
function openReader(
  { bytes }: JsonBytes,
  end: number,
  columns: ReadonlyMap<string, string>,
  isDated: (option: string) => boolean,
): CsvReader | undefined {
  const feed = bytes.indexOf(ascii.lineFeed);
  if (feed < 0 || feed >= end) return undefined;
  // Decodes without the mark of byte order.
  const line = new TextDecoder().decode(bytes.subarray(0, feed));
  const isReturned = line.endsWith("\r");
  for (const delimiter of DELIMITERS) {
    const names = (isReturned ? line.slice(0, -1) : line)
      .split(delimiter)
      .map((name) => name.replace(/^"(.*)"$/, "$1"));
    const isThere = names.length > 1 && [...columns.values()].every((name) => names.includes(name));
    if (isThere) return new CsvReader({ delimiter, names, columns, isDated, start: feed + 1, isReturned });
  }
  return undefined;
}

class CsvReader implements SupposedCsvLog {
  readonly #delimiter: string;
  readonly #names: readonly string[];
  readonly #splitter: RecordSplitter;
  readonly #texts = new Map<string, TextColumn>();
  readonly #dated = new Map<string, DatedColumn>();
  readonly #fields: ReadonlyMap<string, number>;
  #length = 0;
  /** Where the records begin in the next piece. */
  #start: number;

  constructor({ delimiter, names, columns, isDated, start, isReturned }: CsvHeader) {
    this.#delimiter = delimiter;
    this.#names = names;
    this.#start = start;
    this.#splitter = new RecordSplitter(delimiter.charCodeAt(0), names.length);
    if (isReturned) this.#splitter.hasReturns = true;
    else this.#splitter.hasLineFeeds = true;
    this.#fields = new Map([...columns].map(([option, name]) => [option, names.indexOf(name)]));
    for (const [option, field] of this.#fields) {
      if (isDated(option)) this.#dated.set(option, new DatedColumn(field));
      else this.#texts.set(option, new TextColumn(field));
    }
  }

  /** Ends a line as the first one does. */
  get endOfLine(): readonly number[] {
    return this.#splitter.hasReturns ? [ascii.carriageReturn, ascii.lineFeed] : [ascii.lineFeed];
  }

  /** Takes whole records of a piece: the place behind them, or `ODD`. */
  take(json: JsonBytes, end: number): number {
    const splitter = this.#splitter;
    const first = this.#start;
    let start = first;
    for (;;) {
      const records = splitter.split(json, start, end);
      if (records === ODD) return ODD;
      const { rest } = splitter;
      if (records === 0 && rest === start) break;
      start = rest;
      for (const column of [...this.#texts.values(), ...this.#dated.values()]) {
        if (!column.add(json, splitter, records)) return ODD;
      }
      this.#length += records;
    }
    this.#start = 0;
    return isUtf8(json.bytes.subarray(first, start)) ? start : ODD;
  }

  agrees({
    delimiter,
    quote,
    escape: escapes,
    newLine,
    comment,
    skipRows,
    hasHeader,
    timestampFormat,
    types,
  }: CsvDialect): boolean {
    const { hasQuotes, hasDoubled, hasLineFeeds, hasReturns } = this.#splitter;
    return (
      delimiter === this.#delimiter &&
      (quote === '"' || (quote === NOTHING && !hasQuotes)) &&
      (escapes === '"' || (escapes === NOTHING && !hasDoubled)) &&
      ((newLine === "\\n" && !hasReturns) || (newLine === "\\r\\n" && !hasLineFeeds)) &&
      comment === NOTHING &&
      skipRows === 0 &&
      hasHeader &&
      timestampFormat === null &&
      this.#hasTypes(types)
    );
  }

  finish(): CsvLog {
    const texts = Array.from(this.#texts, ([option, column]) => [option, column.finish()] as const);
    const dated = Array.from(this.#dated, ([option, column]) => [option, column.finish()] as const);
    return { length: this.#length, texts: new Map(texts), dated: new Map(dated) };
  }

  #hasTypes(types: ReadonlyMap<string, string>): boolean {
    const known = [...types];
    return (
      known.length === this.#names.length &&
      Array.from(this.#fields).every(([option, field]) => {
        const [name, type] = known[field] as (typeof known)[number];
        const dated = this.#dated.get(option);
        return name === this.#names[field] && type === (dated ? dated.type : "VARCHAR");
      })
    );
  }
}

/** The first line, and what is wanted of the others. */
interface CsvHeader {
  readonly delimiter: string;
  readonly names: readonly string[];
  readonly columns: ReadonlyMap<string, string>;
  readonly isDated: (option: string) => boolean;
  /** Where the first record begins. */
  readonly start: number;
  /** Whether the line ends in a carriage return too. */
  readonly isReturned: boolean;
}

/** How DuckDB says that there is none. */
const NOTHING = "(empty)";
