import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { SnapshotError } from "../../core/errors.js";
import type { Database } from "../database/database.js";
import type { SnapshotFile } from "../format/manifest.js";
import { READ_FLAGS } from "../format/own-paths.js";
import { sqlText } from "../format/sql-text.js";
import { readDataPage } from "./parquet-pages.js";

const HEADER_BYTES = 64;
/** A plain text value has its length before it, as 32 bits. */
const PREFIX_BYTES = 4;

/**
 * Finds where each record's text starts in an uncompressed Parquet file. Parquet does not say: a page holds texts one
 * after the other, so that their places follow from their lengths, which have a column of their own.
 *
 * @param lengths bytes of each record's text
 * @param offsets gets the place of each record
 * @throws SnapshotError if the file is not laid out as Siteframe writes it
 */
export async function findRecords(
  database: Database,
  root: string,
  file: SnapshotFile,
  lengths: Uint32Array,
  offsets: Float64Array,
): Promise<void> {
  const path = join(root, file.path);
  const chunks = await database.rows(
    `SELECT data_page_offset::DOUBLE, total_compressed_size::DOUBLE
     FROM parquet_metadata(${sqlText(path)}) WHERE path_in_schema = 'record' ORDER BY row_group_id`,
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

/** Places the values of a page, which end where the page ends, and returns where the first one starts. */
function placeValues(lengths: Uint32Array, offsets: Float64Array, row: number, count: number, end: number): number {
  let offset = end;
  for (let index = row + count - 1; index >= row; index--) {
    offset -= lengths[index] ?? 0;
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
  return new SnapshotError(`${path} is not laid out as Siteframe writes it.`, { facts: { path } });
}
