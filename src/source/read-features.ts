import type { ResolvedFilters } from "../api/params.js";
import type { ReadOptions } from "../client/ask/read-options.js";
import type { ColumnsRead, Reader } from "../client/read/reader.js";
import { type FeatureColumns, featureColumnsOfBytes, featureColumnsOfRecords } from "../tables/read/feature-columns.js";
import { readColumns } from "./read-columns.js";

/** Layer features in columns: those that a reader has already, or new ones. */
export async function readFeatures(
  reader: Reader,
  filters: ResolvedFilters,
  options: ReadOptions,
): Promise<ColumnsRead<FeatureColumns>> {
  const stored = await reader.columns?.(filters, options);
  if (stored) return stored;
  const make = { ofRecords: featureColumnsOfRecords, ofBytes: featureColumnsOfBytes };
  return readColumns(reader, "layerFeatures", filters, make, options);
}
