import { closeSync, openSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { SnapshotError } from "../../core/errors.js";
import { literalPath, sqlText } from "../../tables/sql/sql-text.js";
import type { Database } from "../database/database.js";
import { firstRows } from "../database/table-views.js";
import { damagedFile } from "../folder/verify-files.js";
import type { SnapshotFile } from "../format/manifest.js";
import { READ_FLAGS } from "../format/snapshot-paths.js";
import type { StoredPage } from "./snapshot-store.js";

/** A data page of a Parquet file: the end of its values, and their count. */
interface DataPage {
  readonly values: number;
  /** Bytes of the header. */
  readonly headerBytes: number;
  /** Bytes after the header: levels, then values. */
  readonly bodyBytes: number;
}

const DATA_PAGE = 0;
const PLAIN = 0;
const I32 = 5;
const STRUCT = 12;

type ThriftStruct = Map<number, number | ThriftStruct>;

/** The part of Thrift's compact protocol that DuckDB's page headers use: structures of 32-bit integers. */
class CompactReader {
  readonly #bytes: Uint8Array;
  position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  struct(): ThriftStruct {
    const fields: ThriftStruct = new Map();
    let id = 0;
    for (let head = this.#byte(); head !== 0; head = this.#byte()) {
      const step = head >> 4;
      id = step === 0 ? this.#integer() : id + step;
      const type = head & 15;
      if (type === STRUCT) fields.set(id, this.struct());
      else if (type === I32) fields.set(id, this.#integer());
      else return fields;
    }
    return fields;
  }

  #byte(): number {
    return this.#bytes[this.position++] ?? 0;
  }

  /** A zigzag varint. */
  #integer(): number {
    let value = 0;
    let shift = 0;
    for (let byte = this.#byte(); ; byte = this.#byte()) {
      value |= (byte & 127) << shift;
      shift += 7;
      if (byte < 128) return (value >>> 1) ^ -(value & 1);
    }
  }
}

const HEADER_BYTES = 64;
/** A plain string value is preceded by its length, as 32 bits. */
const PREFIX_BYTES = 4;

// From here on every index is in range: orders contain indices of `rows`, and rows are those of the files.
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;

/** The indices of row numbers in ascending order of the rows; equal rows keep their order. */
export function positionOrder(rows: Uint32Array): Uint32Array {
  let highest = 0;
  for (let index = 0; index < rows.length; index++) highest = Math.max(highest, rows[index] as number);
  let order = new Uint32Array(rows.length).map((_, index) => index);
  let next = new Uint32Array(rows.length);
  // Radix sort from the lowest digit: comparing the rows of a page would cost more than reading them.
  for (let shift = 0; shift < 32 && highest >>> shift > 0; shift += DIGIT_BITS) {
    sortByDigit(rows, order, next, shift);
    [order, next] = [next, order];
  }
  return order;
}

/**
 * Reads the header of a plain, uncompressed data page (Apache Parquet format, `PageHeader`, in Thrift's compact
 * protocol).
 *
 * @returns undefined for other kinds of pages
 */
function readDataPage(bytes: Uint8Array): DataPage | undefined {
  const reader = new CompactReader(bytes);
  const header = reader.struct();
  const data = header.get(5);
  const bodyBytes = header.get(3);
  if (header.get(1) !== DATA_PAGE || !(data instanceof Map) || typeof bodyBytes !== "number") return undefined;
  const values = data.get(1);
  if (data.get(2) !== PLAIN || typeof values !== "number" || bodyBytes !== header.get(2)) return undefined;
  return { values, headerBytes: reader.position, bodyBytes };
}

/**
 * Finds the start of each record's text in an uncompressed Parquet file. Parquet does not store it: a page contains
 * strings in sequence, so positions follow from their lengths, which have their own column.
 *
 * @param lengths bytes of each record's text
 * @param offsets receives the position of each record
 * @throws SnapshotError if the file does not have Siteframe's layout
 */
async function findRecords(
  database: Database,
  root: string,
  file: SnapshotFile,
  lengths: Uint32Array,
  offsets: Float64Array,
): Promise<void> {
  const path = join(root, file.path);
  const chunks = await database.rows(
    `SELECT data_page_offset::DOUBLE, total_compressed_size::DOUBLE
     FROM parquet_metadata(${sqlText(literalPath(path))}) WHERE path_in_schema = 'record' ORDER BY row_group_id`,
  );
  await using handle = await open(path, READ_FLAGS);
  let row = 0;
  for (const [start, bytes] of chunks) {
    const end = Number(start) + Number(bytes);
    for (let position = Number(start); position < end; ) {
      const page = readDataPage(await read(handle, position, HEADER_BYTES));
      const pageEnd = page ? position + page.headerBytes + page.bodyBytes : end;
      const first = page && placeValues(lengths, offsets, row, page.values, pageEnd);
      if (!page || first === undefined || !(await startsAt(handle, first, lengths[row]))) throw foreign(path);
      row += page.values;
      position = pageEnd;
    }
  }
  if (row !== lengths.length) throw foreign(path);
}

/** Computes the positions of a page's values, which end at the end of the page, and returns the start of the first. */
function placeValues(lengths: Uint32Array, offsets: Float64Array, row: number, count: number, end: number): number {
  let offset = end;
  for (let index = row + count - 1; index >= row; index--) {
    offset -= lengths[index] as number;
    offsets[index] = offset;
    offset -= PREFIX_BYTES;
  }
  return offset + PREFIX_BYTES;
}

async function startsAt(handle: FileHandle, offset: number, length: number | undefined): Promise<boolean> {
  const prefix = await read(handle, offset - PREFIX_BYTES, PREFIX_BYTES);
  return prefix.length === PREFIX_BYTES && prefix.readUInt32LE() === length;
}

async function read(handle: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, position);
  return buffer.subarray(0, bytesRead);
}

function foreign(path: string): SnapshotError {
  return new SnapshotError(`${path} does not have Siteframe's file layout.`, {
    hint: "Write the snapshot again with this version of Siteframe.",
    facts: { path },
  });
}

function sortByDigit(rows: Uint32Array, order: Uint32Array, into: Uint32Array, shift: number): void {
  const ends = new Uint32Array(DIGITS + 1);
  const digit = (index: number) => ((rows[index] as number) >>> shift) & (DIGITS - 1);
  for (let index = 0; index < rows.length; index++) {
    const after = digit(index) + 1;
    ends[after] = (ends[after] as number) + 1;
  }
  for (let at = 1; at <= DIGITS; at++) ends[at] = (ends[at] as number) + (ends[at - 1] as number);
  for (let position = 0; position < order.length; position++) {
    const index = order[position] as number;
    const at = digit(index);
    const end = ends[at] as number;
    into[end] = index;
    ends[at] = end + 1;
  }
}

/** Smaller pages are cheap to allocate, and would hold far more memory than they need. */
const MIN_BYTES = 1 << 20;
/** Bytes to keep: two of the largest usual pages, so that one is filled while the other is sent. */
const KEPT_BYTES = 32 << 20;

/**
 * Memory for large pages, reused after a page has been sent: new memory from the system costs time at its first access,
 * and again at garbage collection.
 */
export class PageBuffers {
  readonly #free: Buffer[] = [];

  /** A buffer with at least this many bytes, with any content. */
  take(bytes: number): Buffer {
    const at = this.#free.findIndex(({ length }) => length >= bytes && length <= 2 * bytes);
    const [buffer] = at < 0 ? [] : this.#free.splice(at, 1);
    if (buffer) return buffer;
    // Rounded up, so that pages of similar size can share buffers.
    return Buffer.allocUnsafe(bytes < MIN_BYTES ? bytes : Math.ceil(bytes / MIN_BYTES) * MIN_BYTES);
  }

  /** Takes back a buffer of `take`, once; it must not be read afterwards. */
  giveBack(buffer: Buffer): void {
    if (buffer.length < MIN_BYTES || buffer.length > KEPT_BYTES) return;
    this.#free.push(buffer);
    let kept = this.#free.reduce((sum, { length }) => sum + length, 0);
    while (kept > KEPT_BYTES) kept -= this.#free.shift()?.length ?? kept;
  }
}

/** Records that are closer are read together: copying the bytes between them costs less than another system call. */
const GAP_BYTES = 16 << 10;
const SPAN_BYTES = 256 << 10;
/** Limits the span for a small page. */
const SPAN_OF_PAGE = 4;

const OPEN = 0x5b;
const COMMA = 0x2c;
const CLOSE = 0x5d;

interface OpenFile {
  readonly path: string;
  readonly descriptor: number;
}

/** Memory in which a page is built. */
interface Target {
  readonly buffer: Buffer;
  /** Target position of each record. */
  readonly offsets: Float64Array;
  /** Start of the memory for spans, after the page, and its length. */
  readonly scratch: number;
  readonly span: number;
}

/** Reads records by their index in a table, directly from its uncompressed Parquet files. */
export class RecordReader {
  readonly #files: readonly OpenFile[];
  readonly #starts: readonly number[];
  readonly #lengths: Uint32Array;
  readonly #offsets: Float64Array;
  readonly #buffers = new PageBuffers();

  private constructor(
    files: readonly OpenFile[],
    starts: readonly number[],
    lengths: Uint32Array,
    offsets: Float64Array,
  ) {
    this.#files = files;
    this.#starts = starts;
    this.#lengths = lengths;
    this.#offsets = offsets;
  }

  /**
   * Opens the files of a table.
   *
   * @param lengths bytes of each record's text, by index
   */
  static async open(
    database: Database,
    root: string,
    files: readonly SnapshotFile[],
    lengths: Uint32Array,
  ): Promise<RecordReader> {
    const starts = firstRows(files.map(({ rows }) => rows));
    const offsets = new Float64Array(lengths.length);
    for (const [index, file] of files.entries()) {
      const start = starts[index] as number;
      const end = start + file.rows;
      await findRecords(database, root, file, lengths.subarray(start, end), offsets.subarray(start, end));
    }
    const opened = files.map(({ path }) => ({
      path: join(root, path),
      descriptor: openSync(join(root, path), READ_FLAGS),
    }));
    return new RecordReader(opened, starts, lengths, offsets);
  }

  /** The JSON text of an array of records, in memory that is reused after its release. */
  read(rows: Uint32Array): Omit<StoredPage, "rowCount"> {
    const offsets = new Float64Array(rows.length);
    let size = 1;
    for (let index = 0; index < rows.length; index++) {
      offsets[index] = size;
      size += this.#length(rows[index] as number) + 1;
    }
    size = Math.max(size, 2);
    const span = Math.min(SPAN_BYTES, SPAN_OF_PAGE * size);
    const buffer = this.#buffers.take(size + span);
    buffer[0] = OPEN;
    this.#copy(rows, { buffer, offsets, scratch: size, span });
    buffer[size - 1] = CLOSE;
    return { data: buffer.subarray(0, size), release: () => this.#buffers.giveBack(buffer) };
  }

  close(): void {
    for (const { descriptor } of this.#files) closeSync(descriptor);
  }

  /** Copies records to their positions in the order of the file, each followed by a comma. */
  #copy(rows: Uint32Array, target: Target): void {
    const { buffer, offsets } = target;
    const order = positionOrder(rows);
    let file = 0;
    for (let from = 0; from < order.length; ) {
      const first = rows[order[from] as number] as number;
      while (first >= this.#firstRow(file + 1)) file++;
      const to = this.#spanEnd(rows, order, from, this.#firstRow(file + 1), target.span);
      // A separate record is read directly to its position.
      if (to === from + 1)
        this.#read(file, this.#offset(first), this.#length(first), buffer, offsets[order[from] as number]);
      else this.#copySpan(rows, order.subarray(from, to), file, target);
      for (; from < to; from++) {
        const index = order[from] as number;
        buffer[(offsets[index] as number) + this.#length(rows[index] as number)] = COMMA;
      }
    }
  }

  #copySpan(rows: Uint32Array, order: Uint32Array, file: number, { buffer, offsets, scratch }: Target): void {
    const start = this.#offset(rows[order[0] as number] as number);
    this.#read(file, start, this.#end(rows[order.at(-1) as number] as number) - start, buffer, scratch);
    for (let at = 0; at < order.length; at++) {
      const index = order[at] as number;
      const row = rows[index] as number;
      const from = scratch + this.#offset(row) - start;
      // Copies within one buffer, since two buffers would need a view per copy.
      buffer.copyWithin(offsets[index] as number, from, from + this.#length(row));
    }
  }

  /** @param limit the first row of the next file */
  #spanEnd(rows: Uint32Array, order: Uint32Array, from: number, limit: number, bytes: number): number {
    const first = rows[order[from] as number] as number;
    const longest = this.#offset(first) + bytes;
    let end = this.#end(first);
    for (let to = from + 1; to < order.length; to++) {
      const row = rows[order[to] as number] as number;
      if (row >= limit || this.#offset(row) - end > GAP_BYTES || this.#end(row) > longest) return to;
      end = this.#end(row);
    }
    return order.length;
  }

  #read(file: number, start: number, bytes: number, into: Buffer, at = 0): void {
    const opened = this.#files[file];
    for (let done = 0; opened && done < bytes; ) {
      const read = readSome(opened, into, at + done, bytes - done, start + done);
      if (read === 0) throw damagedFile(opened.path, "was truncated while it was open");
      done += read;
    }
  }

  #firstRow(file: number): number {
    return this.#starts[file] ?? Number.POSITIVE_INFINITY;
  }

  #offset(row: number): number {
    return this.#offsets[row] as number;
  }

  #length(row: number): number {
    return this.#lengths[row] as number;
  }

  #end(row: number): number {
    return this.#offset(row) + this.#length(row);
  }
}

function readSome({ path, descriptor }: OpenFile, into: Buffer, at: number, bytes: number, position: number): number {
  try {
    return readSync(descriptor, into, at, bytes, position);
  } catch (cause) {
    throw damagedFile(path, `cannot be read: ${(cause as Error).message}`, cause);
  }
}
