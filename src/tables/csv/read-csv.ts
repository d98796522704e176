import { isUtf8 } from "node:buffer";
import { ArgumentError, FileError, SiteframeError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";
import { ascii } from "../json/scan-json.js";
import { decompress } from "../read/decompress.js";
import { type CsvColumn, CsvPiece } from "./csv-columns.js";

/** Format of a CSV file. */
export interface CsvFormat {
  /**
   * One ASCII character. Default: the first of comma, semicolon, tab and bar that separates the wanted names in the
   * header.
   */
  readonly delimiter?: string | undefined;
  /** A name of the Encoding Standard. Default: the encoding of the byte order mark, or UTF-8. */
  readonly encoding?: string | undefined;
}

/** Facts about the file, without the columns. */
export interface CsvRead {
  readonly length: number;
  readonly delimiter: string;
  readonly encoding: string;
}

/** The columns to read. */
interface CsvRequest {
  /** Names for detecting the delimiter. */
  readonly names: readonly string[];
  /**
   * The columns to read, each with the index of its name.
   *
   * @param names the header
   */
  columns(names: readonly string[]): readonly (readonly [number, CsvColumn])[];
}

/** Maximum number of bytes of a row. */
const MOST_ROW = 128 << 20;

const DELIMITERS = [",", ";", "\t", "|"];
const { quote, lineFeed, carriageReturn } = ascii;

/**
 * Reads a CSV file as Python's `csv.reader` does (RFC 4180): a field is quoted if it begins with `"`, a quote inside is written
 * twice, lines end with LF, CRLF or CR, and no other character is special. As in pandas, blank lines are skipped and missing
 * fields at the end of a row are empty.
 *
 * @throws FileError for a file that cannot be read, a row with more fields than the header, and an open quote at the end
 */
export async function readCsv(path: string, { delimiter, encoding }: CsvFormat, request: CsvRequest): Promise<CsvRead> {
  checkDelimiter(delimiter);
  const opened = await openCsv(path, encoding);
  const candidates = delimiter === undefined ? DELIMITERS : [delimiter];
  let reader: CsvReader | undefined;
  let rest: Uint8Array = new Uint8Array(0);
  let pending: Uint8Array[] = [];
  let pendingLength = 0;
  const parse = (isLast: boolean) => {
    const piece = new CsvPiece([rest, ...pending]);
    [pending, pendingLength] = [[], 0];
    if (piece.bytes.subarray(0, piece.length).includes(0)) throw zeroByte(path);
    reader ??= openReader(path, piece, isLast, candidates, request);
    const taken = reader?.take(piece, isLast) ?? 0;
    if (!isUtf8(piece.bytes.subarray(0, taken))) throw notEncoded(path, opened.encoding);
    rest = piece.bytes.subarray(taken, piece.length);
    if (rest.length > MOST_ROW) throw longRow(path);
  };
  for await (const bytes of opened.pieces) {
    pending.push(bytes);
    pendingLength += bytes.length;
    // A record that spans pieces is scanned again from its start, so each scan covers at least twice as many bytes.
    if (pendingLength >= rest.length || rest.length + pendingLength > MOST_ROW) parse(false);
  }
  parse(true);
  if (!reader) throw noHeader(path, rest.length > 0);
  return { length: reader.length, delimiter: reader.delimiter, encoding: opened.encoding };
}

function noHeader(path: string, isOpen: boolean): FileError {
  return new FileError(
    `${showValue(path)} ${isOpen ? "has a quote in its header that is never closed" : "is empty"}.`,
    {
      hint: "Use a file with a header.",
      facts: { path },
    },
  );
}

function longRow(path: string): FileError {
  return new FileError(`${showValue(path)} has a row of more than ${MOST_ROW >> 20} MiB.`, {
    hint: "Look for a quote that is never closed.",
    facts: { path, limit: MOST_ROW },
  });
}

function checkDelimiter(delimiter: string | undefined): void {
  if (delimiter === undefined) return;
  const code = delimiter.charCodeAt(0);
  if (delimiter.length === 1 && code > 0 && code < 128 && !/["\r\n]/.test(delimiter)) return;
  throw new ArgumentError(`fromChanges(): invalid delimiter ${showValue(delimiter)}.`, {
    hint: 'Use one ASCII character: delimiter: ";".',
    facts: { option: "delimiter" },
  });
}

function zeroByte(path: string): FileError {
  return new FileError(`${showValue(path)} contains a zero byte.`, {
    hint: 'If it is UTF-16 without a byte order mark, set encoding: "utf-16le".',
    facts: { path, option: "encoding" },
  });
}

/** Reads the header with the first delimiter that separates the wanted names; undefined if more bytes are needed. */
function openReader(
  path: string,
  piece: CsvPiece,
  isLast: boolean,
  candidates: readonly string[],
  request: CsvRequest,
): CsvReader | undefined {
  const readers = candidates.map((delimiter) => new CsvReader(path, delimiter, request));
  const complete = readers.filter((reader) => reader.takeHeader(piece, isLast));
  const fitting = complete.find(({ names }) => request.names.every((name) => names.includes(name)));
  if (!fitting && complete.length < readers.length && !isLast) return undefined;
  const widest = complete.toSorted((a, b) => b.names.length - a.names.length)[0];
  const reader = fitting ?? widest;
  reader?.open();
  return reader;
}

class CsvReader {
  readonly delimiter: string;
  names: readonly string[] = [];
  /** Number of rows read. */
  length = 0;
  readonly #path: string;
  readonly #request: CsvRequest;
  #columns: readonly CsvColumn[] = [];
  /** The index of the field of each column. */
  #columnFields: readonly number[] = [];
  /** Start of the data after the header in the first piece. */
  #start = 0;
  readonly #delimiter: number;
  /** 1 for the bytes that end an unquoted field. */
  readonly #stops = new Uint8Array(256);
  /** Start and end of each field of the current record. The end of a field that must be unescaped is complemented. */
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  #fields = 0;
  /** Whether the last of them is quoted. */
  #isQuoted = false;

  constructor(path: string, delimiter: string, request: CsvRequest) {
    this.#path = path;
    this.delimiter = delimiter;
    this.#request = request;
    this.#delimiter = delimiter.charCodeAt(0);
    for (const byte of [lineFeed, carriageReturn, this.#delimiter]) this.#stops[byte] = 1;
  }

  /** Reads the header; false if it is not complete. */
  takeHeader(piece: CsvPiece, isLast: boolean): boolean {
    let start = 0;
    for (;;) {
      const end = this.#split(piece, start, isLast);
      if (end < 0) return false;
      if (!this.#isBlankLine(piece)) {
        this.#start = end;
        this.names = Array.from({ length: this.#fields }, (_, field) => this.#text(piece, field));
        return true;
      }
      if (end === piece.length) return false;
      start = end;
    }
  }

  open(): void {
    const columns = this.#request.columns(this.names);
    this.#columns = columns.map(([, column]) => column);
    this.#columnFields = columns.map(([field]) => field);
  }

  /** Reads all complete records of a piece, and returns the position after them. */
  take(piece: CsvPiece, isLast: boolean): number {
    let start = this.#start;
    this.#start = 0;
    while (start < piece.length) {
      const end = this.#split(piece, start, isLast);
      if (end < 0 && isLast) throw this.#openQuote();
      if (end < 0) break;
      if (!this.#isBlankLine(piece)) this.#addRow(piece);
      start = end;
    }
    return start;
  }

  #addRow(piece: CsvPiece): void {
    const [starts, ends, count] = [this.#starts, this.#ends, this.#fields];
    for (let field = this.names.length; field < count; field += 1) {
      if (starts[field] !== ends[field]) throw this.#tooLong();
    }
    const [columns, fields] = [this.#columns, this.#columnFields];
    for (let index = 0; index < columns.length; index += 1) {
      const column = columns[index] as CsvColumn;
      const field = fields[index] as number;
      const start = starts[field] as number;
      const end = ends[field] as number;
      if (field >= count) column.add(piece, 0, 0);
      else if (end >= 0) column.add(piece, start, end);
      else {
        const bytes = unescaped(piece.bytes, start, ~end);
        column.add(new CsvPiece([bytes]), 0, bytes.length);
      }
    }
    this.length += 1;
  }

  #tooLong(): FileError {
    return new FileError(
      `Row ${this.length} of ${showValue(this.#path)} has ${this.#fields} fields, but the header has ${this.names.length}.`,
      {
        hint: `Enclose fields that contain ${showValue(this.delimiter)} in double quotes, or set the delimiter: delimiter: ";".`,
        facts: { path: this.#path, row: this.length },
      },
    );
  }

  /** Whether the record is a single field of spaces, which is a value only if the file has one column. */
  #isBlankLine({ bytes }: CsvPiece): boolean {
    if (this.#fields > 1 || this.#isQuoted) return false;
    const [start, end] = [this.#starts[0] as number, this.#ends[0] as number];
    if (start === end) return true;
    return this.names.length !== 1 && bytes.subarray(start, end).every((byte) => byte === ascii.space);
  }

  #text({ bytes }: CsvPiece, field: number): string {
    const [start, end] = [this.#starts[field] as number, this.#ends[field] as number];
    return new TextDecoder().decode(end < 0 ? unescaped(bytes, start, ~end) : bytes.subarray(start, end));
  }

  /**
   * Finds the fields of the record at `start`, and returns the position after it, or −1 if it does not end in the
   * piece.
   */
  #split({ bytes, length }: CsvPiece, start: number, isLast: boolean): number {
    const [stops, delimiter, starts, ends] = [this.#stops, this.#delimiter, this.#starts, this.#ends];
    let p = start;
    let fields = 0;
    let isQuoted: boolean;
    for (;;) {
      const first = p;
      isQuoted = bytes[p] === quote;
      if (isQuoted) p = this.#quoted(bytes, p, length, fields);
      else {
        while (stops[bytes[p] as number] === 0) p += 1;
        starts[fields] = first;
        ends[fields] = p;
      }
      if (p > length || (p === length && !isLast)) return -1;
      fields += 1;
      if (bytes[p] !== delimiter) break;
      p += 1;
    }
    this.#fields = fields;
    this.#isQuoted = isQuoted;
    if (bytes[p] === carriageReturn) {
      if (p + 1 === length && !isLast) return -1;
      return p + (bytes[p + 1] === lineFeed && p + 1 < length ? 2 : 1);
    }
    return Math.min(p + 1, length);
  }

  /** Finds the end of a quoted field, and returns the position after it, beyond `length` if its quote is not closed. */
  #quoted(bytes: Uint8Array, start: number, length: number, field: number): number {
    const stops = this.#stops;
    let p = start + 1;
    let isPlain = true;
    for (;;) {
      while (bytes[p] !== quote && p < length) p += 1;
      if (p >= length) return length + 1;
      if (bytes[p + 1] !== quote) break;
      isPlain = false;
      p += 2;
    }
    const behind = p + 1;
    p = behind;
    while (stops[bytes[p] as number] === 0) p += 1;
    isPlain &&= p === behind;
    this.#starts[field] = isPlain ? start + 1 : start;
    this.#ends[field] = isPlain ? p - 1 : ~p;
    return p;
  }

  #openQuote(): FileError {
    return new FileError(`Row ${this.length} of ${showValue(this.#path)} has a quote that is never closed.`, {
      hint: 'Write a quote at the beginning of a field twice and enclose the field in quotes: """A"" wing".',
      facts: { path: this.#path, row: this.length },
    });
  }
}

/**
 * The text of a quoted field, without its quotes and with doubled quotes once. Text after the closing quote is
 * unchanged.
 */
function unescaped(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const plain = new Uint8Array(end - start);
  let length = 0;
  let p = start + 1;
  for (; p < end; p += 1) {
    if (bytes[p] === quote) {
      p += 1;
      if (bytes[p] !== quote || p === end) break;
    }
    plain[length] = bytes[p] as number;
    length += 1;
  }
  for (; p < end; p += 1) {
    plain[length] = bytes[p] as number;
    length += 1;
  }
  return plain.subarray(0, length);
}

/** A file as UTF-8 bytes, in pieces. */
interface CsvBytes {
  /** The given encoding, else that of the byte order mark, else UTF-8. */
  readonly encoding: string;
  /** Without the byte order mark. A piece may end inside a character. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/**
 * Opens a CSV file: plain, `.gz` or `.zst`. A byte order mark of UTF-16 sets the encoding if none is given.
 *
 * @throws ArgumentError for an unknown encoding; while reading, for a missing or damaged file and an invalid character
 */
async function openCsv(path: string, encoding: string | undefined): Promise<CsvBytes> {
  const given = encoding === undefined ? undefined : canonical(encoding);
  const pieces = readPieces(path);
  const first = (await pieces.next()).value ?? new Uint8Array(0);
  const label = given ?? encodingOf(first);
  const all = prepended(first, pieces);
  return { encoding: label, pieces: label === "utf-8" ? withoutMark(all) : transcoded(all, label, path) };
}

/** The encoding of a byte order mark. */
function encodingOf([a, b]: Uint8Array): string {
  if (a === 0xff && b === 0xfe) return "utf-16le";
  return a === 0xfe && b === 0xff ? "utf-16be" : "utf-8";
}

function canonical(encoding: string): string {
  try {
    return new TextDecoder(encoding).encoding;
  } catch {
    throw new ArgumentError(`fromChanges(): unknown encoding ${showValue(encoding)}.`, {
      hint: 'Use a name of the Encoding Standard: encoding: "windows-1252", "utf-16le" or "shift_jis".',
      facts: { option: "encoding" },
    });
  }
}

async function* readPieces(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* decompress(path);
  } catch (error) {
    if (error instanceof SiteframeError) throw error;
    throw new FileError(`${showValue(path)} cannot be read: ${(error as Error).message}.`, {
      cause: error,
      facts: { path },
    });
  }
}

async function* prepended(first: Uint8Array, rest: AsyncIterable<Uint8Array>) {
  yield first;
  yield* rest;
}

async function* withoutMark(pieces: AsyncIterable<Uint8Array>) {
  let isFirst = true;
  for await (const piece of pieces) {
    const hasMark = isFirst && piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf;
    isFirst = false;
    yield hasMark ? piece.subarray(3) : piece;
  }
}

async function* transcoded(pieces: AsyncIterable<Uint8Array>, encoding: string, path: string) {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const decode = (piece?: Uint8Array) => {
    try {
      return Buffer.from(piece ? decoder.decode(piece, { stream: true }) : decoder.decode());
    } catch (error) {
      throw notEncoded(path, encoding, error);
    }
  };
  for await (const piece of pieces) yield decode(piece);
  yield decode();
}

/** The error for bytes that are invalid in the encoding. */
function notEncoded(path: string, encoding: string, cause?: unknown): FileError {
  return new FileError(`${showValue(path)} is not encoded as ${encoding}.`, {
    hint: 'Set its encoding, for example encoding: "windows-1252".',
    facts: { path, option: "encoding" },
    ...(cause === undefined ? {} : { cause }),
  });
}
