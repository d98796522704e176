import type { ResourceName } from "../../src/api/resources.js";
import { type RecordColumns, recordAt } from "../../src/tables/column/column.js";
import { assemblePages } from "../../src/tables/read/assemble-pages.js";
import { readPage } from "../../src/tables/read/decode-columns.js";
import { RecordReader } from "../../src/tables/read/record-reader.js";

/** The records of pages, read from their bytes into columns. */
export function readRecords(
  resource: ResourceName,
  pages: readonly Uint8Array[],
  large?: number,
): readonly Record<string, unknown>[] {
  return recordsOf(readInto(new RecordReader(resource, large), pages));
}

/** The columns of pages that a reader reads. */
export function readInto(reader: RecordReader, pages: readonly Uint8Array[]): RecordColumns {
  const slices = pages.map((page) => {
    readPage(page, reader);
    const content = reader.take();
    return { content, start: 0, end: content.rowCount };
  });
  return assemblePages(reader, slices);
}

export function recordsOf(columns: RecordColumns): readonly Record<string, unknown>[] {
  return Array.from({ length: columns.rowCount }, (_, row) => recordAt(columns, row));
}
