import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../database/database.js";
import { firstRows } from "../database/first-rows.js";
import { damagedFile } from "../format/damaged-file.js";
import type { SnapshotFile } from "../format/manifest.js";
import { findRecords } from "./record-offsets.js";

/** Records that lie closer are read in one go: copying these bytes costs less than another system call. */
const GAP_BYTES = 16 << 10;
const SPAN_BYTES = 1 << 20;

const OPEN = 0x5b;
const COMMA = 0x2c;
const CLOSE = 0x5d;

interface OpenFile {
  readonly path: string;
  readonly descriptor: number;
}

/** Reads records by their position in a table, straight from its uncompressed Parquet files. */
export class RecordReader {
  readonly #files: readonly OpenFile[];
  readonly #starts: readonly number[];
  readonly #lengths: Uint32Array;
  readonly #offsets: Float64Array;
  #scratch = Buffer.allocUnsafe(SPAN_BYTES);

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
   * @param lengths bytes of each record's text, by position
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
      const start = starts[index] ?? 0;
      const end = start + file.rows;
      await findRecords(database, root, file, lengths.subarray(start, end), offsets.subarray(start, end));
    }
    const opened = files.map(({ path }) => ({ path: join(root, path), descriptor: openSync(join(root, path), "r") }));
    return new RecordReader(opened, starts, lengths, offsets);
  }

  /** The JSON text of an array of records. */
  read(rows: Uint32Array): Uint8Array {
    const places = new Float64Array(rows.length);
    let size = 1;
    for (const [index, row] of rows.entries()) {
      places[index] = size;
      size += this.#length(row) + 1;
    }
    const text = Buffer.allocUnsafe(rows.length === 0 ? 2 : size);
    text[0] = OPEN;
    this.#copy(rows, places, text);
    text[text.length - 1] = CLOSE;
    return text;
  }

  close(): void {
    for (const { descriptor } of this.#files) closeSync(descriptor);
  }

  /** Copies records to their places in the order of the file, and a comma behind each. */
  #copy(rows: Uint32Array, places: Float64Array, text: Buffer): void {
    const order = positionOrder(rows);
    for (let from = 0; from < order.length; ) {
      const to = this.#spanEnd(rows, order, from);
      const first = rows[order[from] ?? 0] ?? 0;
      const spanStart = this.#offset(first);
      const last = rows[order[to - 1] ?? 0] ?? 0;
      const span = this.#readSpan(this.#fileOf(first), spanStart, this.#end(last) - spanStart);
      for (; from < to; from++) {
        const index = order[from] ?? 0;
        const row = rows[index] ?? 0;
        const place = places[index] ?? 0;
        const start = this.#offset(row) - spanStart;
        span.copy(text, place, start, start + this.#length(row));
        text[place + this.#length(row)] = COMMA;
      }
    }
  }

  #spanEnd(rows: Uint32Array, order: Uint32Array, from: number): number {
    const first = rows[order[from] ?? 0] ?? 0;
    const file = this.#fileOf(first);
    const limit = this.#offset(first) + SPAN_BYTES;
    const fileEnd = this.#starts[file + 1] ?? Number.POSITIVE_INFINITY;
    let end = this.#end(first);
    for (let to = from + 1; to < order.length; to++) {
      const row = rows[order[to] ?? 0] ?? 0;
      if (row >= fileEnd || this.#offset(row) - end > GAP_BYTES || this.#end(row) > limit) return to;
      end = this.#end(row);
    }
    return order.length;
  }

  #readSpan(file: number, start: number, bytes: number): Buffer {
    if (this.#scratch.length < bytes) this.#scratch = Buffer.allocUnsafe(bytes);
    const opened = this.#files[file];
    for (let done = 0; opened && done < bytes; ) {
      const read = readSome(opened, this.#scratch, done, bytes - done, start + done);
      if (read === 0) throw damagedFile(opened.path, "became shorter while it was open");
      done += read;
    }
    return this.#scratch;
  }

  #fileOf(row: number): number {
    return this.#starts.findLastIndex((start) => start <= row);
  }

  #offset(row: number): number {
    return this.#offsets[row] ?? 0;
  }

  #length(row: number): number {
    return this.#lengths[row] ?? 0;
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

/** The indices of rows in ascending order of the rows. */
function positionOrder(rows: Uint32Array): Uint32Array {
  // Row and index in one number sort far faster than indices with a comparator.
  const keys = new Float64Array(rows.length);
  for (const [index, row] of rows.entries()) keys[index] = row * rows.length + index;
  keys.sort();
  return Uint32Array.from(keys, (key) => key % rows.length);
}
