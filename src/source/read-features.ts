import type { Params } from "../api/params.js";
import type { ReadOptions } from "../client/read-options.js";
import type { Reader } from "../client/reader.js";
import { assemblePages } from "../columns/assemble-pages.js";
import { columnDecoder } from "../columns/decode-columns.js";
import { type FeatureColumns, featureColumns, featureColumnsOf } from "../columns/feature-columns.js";
import { RecordReader } from "../columns/record-reader.js";
import type { Finding } from "../core/finding.js";
import { isLive } from "./is-live.js";

/** The features that one read brought. */
export interface ReadFeatures {
  readonly features: FeatureColumns;
  readonly readAt: number;
  readonly findings: readonly Finding[];
}

/** A reader whose features lie by column. */
interface ByColumn {
  /** Undefined where these features do not. */
  columns(params: Params<"layerFeatures">, options: ReadOptions): Promise<ReadFeatures | undefined>;
}

function isByColumn(reader: Reader): reader is Reader & ByColumn {
  return "columns" in reader;
}

/**
 * Reads layer features into columns: from a live source page bytes straight, from a snapshot the columns that it
 * holds, from any other by its records.
 */
export async function readFeatures(
  reader: Reader,
  params: Params<"layerFeatures">,
  options: ReadOptions,
): Promise<ReadFeatures> {
  const stored = isByColumn(reader) ? await reader.columns(params, options) : undefined;
  if (stored) return stored;
  if (!isLive(reader)) {
    const { rows, readAt, findings } = await reader.all("layerFeatures", params, options);
    return { features: featureColumns(rows), readAt, findings };
  }
  const records = new RecordReader("layerFeatures");
  const { slices, readAt, findings } = await reader.collect("layerFeatures", params, columnDecoder(records), options);
  return { features: featureColumnsOf(assemblePages(records, slices)), readAt, findings };
}
