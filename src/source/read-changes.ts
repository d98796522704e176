import type { ReadOptions } from "../client/read-options.js";
import type { Reader } from "../client/reader.js";
import { assemblePages } from "../columns/assemble-pages.js";
import { type ChangeColumns, changeColumns, changeColumnsOfRecords } from "../columns/change-columns.js";
import { columnDecoder } from "../columns/decode-columns.js";
import { RecordReader } from "../columns/record-reader.js";
import type { Finding } from "../core/finding.js";
import { isLive } from "./is-live.js";

/** The changes that one read brought. */
export interface ReadChanges {
  readonly changes: ChangeColumns;
  readonly readAt: number;
  readonly findings: readonly Finding[];
}

/** Reads the log of features into columns: from a live source page bytes straight, from any other by its records. */
export async function readChanges(
  reader: Reader,
  featureIds: readonly number[],
  options: ReadOptions,
): Promise<ReadChanges> {
  const params = { layer_feature_id: featureIds };
  if (!isLive(reader)) {
    const { rows, readAt, findings } = await reader.all("propertyChanges", params, options);
    return { changes: changeColumnsOfRecords(rows), readAt, findings };
  }
  const records = new RecordReader("propertyChanges");
  const { slices, readAt, findings } = await reader.collect("propertyChanges", params, columnDecoder(records), options);
  return { changes: changeColumns(assemblePages(records, slices)), readAt, findings };
}
