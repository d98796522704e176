import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../database/database.js";
import { firstRows } from "../database/first-rows.js";
import { damagedFile } from "../format/damaged-file.js";
import type { SnapshotFile } from "../format/manifest.js";
import { READ_FLAGS } from "../format/own-paths.js";
import { PageBuffers } from "./page-buffers.js";
import { positionOrder } from "./position-order.js";
import { findRecords } from "./record-offsets.js";
import type { StoredPage } from "./snapshot-store.js";

/** Records that lie closer are read in one go: copying these bytes costs less than another system call. */
const GAP_BYTES = 16 << 10;
const SPAN_BYTES = 256 << 10;
/** A small page shall not need memory for a long span. */
const SPAN_OF_PAGE = 4;

const OPEN = 0x5b;
const COMMA = 0x2c;
const CLOSE = 0x5d;

interface OpenFile {
  readonly path: string;
  readonly descriptor: number;
}

/** Where a page is put together. */
interface Target {
  readonly buffer: Buffer;
  /** Where each record of the page goes. */
  readonly places: Float64Array;
  /** Where spans are read to, behind the page, and how many bytes there are for one. */
  readonly scratch: number;
  readonly span: number;
}

/** Reads records by their position in a table, straight from its uncompressed Parquet files. */
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
    const opened = files.map(({ path }) => ({
      path: join(root, path),
      descriptor: openSync(join(root, path), READ_FLAGS),
    }));
    return new RecordReader(opened, starts, lengths, offsets);
  }

  /** The JSON text of an array of records, in memory that is used again once it is given back. */
  read(rows: Uint32Array): Omit<StoredPage, "rowCount"> {
    const places = new Float64Array(rows.length);
    let size = 1;
    for (let index = 0; index < rows.length; index++) {
      places[index] = size;
      size += this.#length(rows[index] ?? 0) + 1;
    }
    size = Math.max(size, 2);
    const span = Math.min(SPAN_BYTES, SPAN_OF_PAGE * size);
    const buffer = this.#buffers.take(size + span);
    buffer[0] = OPEN;
    this.#copy(rows, { buffer, places, scratch: size, span });
    buffer[size - 1] = CLOSE;
    return { data: buffer.subarray(0, size), release: () => this.#buffers.giveBack(buffer) };
  }

  close(): void {
    for (const { descriptor } of this.#files) closeSync(descriptor);
  }

  /** Copies records to their places in the order of the file, and a comma behind each. */
  #copy(rows: Uint32Array, target: Target): void {
    const { buffer, places } = target;
    const order = positionOrder(rows);
    let file = 0;
    for (let from = 0; from < order.length; ) {
      const first = rows[order[from] ?? 0] ?? 0;
      while (first >= this.#firstRow(file + 1)) file++;
      const to = this.#spanEnd(rows, order, from, this.#firstRow(file + 1), target.span);
      // A record that lies alone is read to its place.
      if (to === from + 1) this.#read(file, this.#offset(first), this.#length(first), buffer, places[order[from] ?? 0]);
      else this.#copySpan(rows, order.subarray(from, to), file, target);
      for (; from < to; from++) {
        const index = order[from] ?? 0;
        buffer[(places[index] ?? 0) + this.#length(rows[index] ?? 0)] = COMMA;
      }
    }
  }

  #copySpan(rows: Uint32Array, order: Uint32Array, file: number, { buffer, places, scratch }: Target): void {
    const start = this.#offset(rows[order[0] ?? 0] ?? 0);
    this.#read(file, start, this.#end(rows[order.at(-1) ?? 0] ?? 0) - start, buffer, scratch);
    for (let at = 0; at < order.length; at++) {
      const index = order[at] ?? 0;
      const row = rows[index] ?? 0;
      const from = scratch + this.#offset(row) - start;
      // Between two buffers, each copy would need a view of its own.
      buffer.copyWithin(places[index] ?? 0, from, from + this.#length(row));
    }
  }

  /** @param limit the first row of the next file */
  #spanEnd(rows: Uint32Array, order: Uint32Array, from: number, limit: number, bytes: number): number {
    const first = rows[order[from] ?? 0] ?? 0;
    const longest = this.#offset(first) + bytes;
    let end = this.#end(first);
    for (let to = from + 1; to < order.length; to++) {
      const row = rows[order[to] ?? 0] ?? 0;
      if (row >= limit || this.#offset(row) - end > GAP_BYTES || this.#end(row) > longest) return to;
      end = this.#end(row);
    }
    return order.length;
  }

  #read(file: number, start: number, bytes: number, into: Buffer, at = 0): void {
    const opened = this.#files[file];
    for (let done = 0; opened && done < bytes; ) {
      const read = readSome(opened, into, at + done, bytes - done, start + done);
      if (read === 0) throw damagedFile(opened.path, "became shorter while it was open");
      done += read;
    }
  }

  #firstRow(file: number): number {
    return this.#starts[file] ?? Number.POSITIVE_INFINITY;
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
