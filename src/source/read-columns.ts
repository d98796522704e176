import type { ResolvedFilters } from "../api/params.js";
import type { Records, ResourceName } from "../api/resources.js";
import type { ReadOptions } from "../client/ask/read-options.js";
import type { ColumnsRead, Reader } from "../client/read/reader.js";
import type { RecordColumns } from "../tables/column/record-at.js";
import { assemblePages } from "../tables/read/assemble-pages.js";
import { columnDecoder } from "../tables/read/decode-columns.js";
import { RecordReader } from "../tables/read/record-reader.js";

/** How the columns of a resource are made. */
export interface MakeColumns<R extends ResourceName, C> {
  readonly ofRecords: (records: readonly Records[R][]) => C;
  readonly ofBytes: (columns: RecordColumns) => C;
}

/** Reads records into columns: straight from the bytes of pages where the reader has them, else from its records. */
export async function readColumns<R extends ResourceName, C>(
  reader: Reader,
  resource: R,
  filters: ResolvedFilters,
  make: MakeColumns<R, C>,
  options: ReadOptions,
): Promise<ColumnsRead<C>> {
  if (!reader.collect) {
    const { rows, readAt, findings } = await reader.all(resource, filters, options);
    return { columns: make.ofRecords(rows), readAt, findings };
  }
  const records = new RecordReader(resource);
  const { slices, readAt, findings } = await reader.collect(resource, filters, columnDecoder(records), options);
  return { columns: make.ofBytes(assemblePages(records, slices)), readAt, findings };
}
