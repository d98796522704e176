import type { ResourceName } from "../../src/api/resources.js";
import { recordAt } from "../../src/tables/column/column.js";
import { assemblePages } from "../../src/tables/read/assemble-pages.js";
import { readPage } from "../../src/tables/read/decode-columns.js";
import { RecordReader } from "../../src/tables/read/record-reader.js";

/** The records of pages, read from their bytes into columns and put together again. */
export function readRecords(
  resource: ResourceName,
  pages: readonly Uint8Array[],
  large?: number,
): readonly Record<string, unknown>[] {
  const reader = new RecordReader(resource, large);
  const slices = pages.map((page) => {
    readPage(page, reader);
    const content = reader.take();
    return { content, start: 0, end: content.rowCount };
  });
  const columns = assemblePages(reader, slices);
  return Array.from({ length: columns.rowCount }, (_, row) => recordAt(columns, row));
}
