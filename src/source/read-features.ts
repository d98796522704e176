import type { Params } from "../api/params.js";
import type { ReadOptions } from "../client/ask/read-options.js";
import type { Reader } from "../client/ask/reader.js";
import {
  type FeatureColumns,
  featureColumnsOfBytes,
  featureColumnsOfRecords,
} from "../columns/read/feature-columns.js";
import type { Finding } from "../core/finding.js";
import { readColumns } from "./read-columns.js";

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

/** Layer features in columns: those that a snapshot holds already, or new ones. */
export async function readFeatures(
  reader: Reader,
  params: Params<"layerFeatures">,
  options: ReadOptions,
): Promise<ReadFeatures> {
  const stored = isByColumn(reader) ? await reader.columns(params, options) : undefined;
  if (stored) return stored;
  const make = { ofRecords: featureColumnsOfRecords, ofBytes: featureColumnsOfBytes };
  const { columns, readAt, findings } = await readColumns(reader, "layerFeatures", params, make, options);
  return { features: columns, readAt, findings };
}
