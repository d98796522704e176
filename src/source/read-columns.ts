import type { Params } from "../api/params.js";
import type { Records, ResourceName } from "../api/resources.js";
import type { ReadOptions } from "../client/ask/read-options.js";
import type { Reader } from "../client/ask/reader.js";
import type { LiveReader } from "../client/live-reader.js";
import type { RecordColumns } from "../columns/column/record-at.js";
import { assemblePages } from "../columns/read/assemble-pages.js";
import { columnDecoder } from "../columns/read/decode-columns.js";
import { RecordReader } from "../columns/read/record-reader.js";
import type { Finding } from "../core/finding.js";

/** The columns that one read brought. */
export interface ReadColumns<C> {
  readonly columns: C;
  readonly readAt: number;
  readonly findings: readonly Finding[];
}

/** How the columns of a resource are made. */
export interface MakeColumns<R extends ResourceName, C> {
  readonly ofRecords: (records: readonly Records[R][]) => C;
  readonly ofBytes: (columns: RecordColumns) => C;
}

/** Reads records into columns: from a live source page bytes straight, from any other by its records. */
export async function readColumns<R extends ResourceName, C>(
  reader: Reader,
  resource: R,
  params: Params<R>,
  make: MakeColumns<R, C>,
  options: ReadOptions,
): Promise<ReadColumns<C>> {
  if (!isLive(reader)) {
    const { rows, readAt, findings } = await reader.all(resource, params, options);
    return { columns: make.ofRecords(rows), readAt, findings };
  }
  const records = new RecordReader(resource);
  const { slices, readAt, findings } = await reader.collect(resource, params, columnDecoder(records), options);
  return { columns: make.ofBytes(assemblePages(records, slices)), readAt, findings };
}

function isLive(reader: Reader): reader is LiveReader {
  return "collect" in reader;
}
