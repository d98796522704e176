import { anything, type OptionRules } from "../../core/option-rules.js";
import type { ExportTable } from "./export-table.js";
import { withLayerDatabase } from "./layer-database.js";

/** Options of `layer.toParquet()`. */
export interface ParquetOptions {
  /** Of the file to write; one that exists is replaced. */
  readonly path: string;
}

/** What `layer.toParquet()` takes. */
export const parquetRules: OptionRules<ParquetOptions> = { path: anything };

/**
 * Writes a frame as GeoParquet 1.1 (zstd, geometries as WKB in OGC:CRS84). A frame without geometries becomes plain
 * Parquet.
 */
export async function toParquet(frame: ExportTable, { path }: ParquetOptions): Promise<void> {
  const target = `'${path.replaceAll("'", "''")}'`;
  const options = "FORMAT parquet, COMPRESSION zstd, GEOPARQUET_VERSION 'V1'";
  await withLayerDatabase(frame, "GEOMETRY", async (connection) => {
    await connection.run(`COPY layer TO ${target} (${options})`);
  });
}
