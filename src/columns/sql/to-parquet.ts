import { ArgumentError } from "../../core/errors.js";
import { anything, type OptionRules } from "../../core/option-rules.js";
import { noColumns } from "../export/check-export-options.js";
import { type ExportOptions, type ExportTable, exportRules } from "../export/export-table.js";
import { replaceFile } from "../export/replace-file.js";
import { withLayerDatabase } from "./layer-database.js";

/** Options of `toParquet()`. */
export interface ParquetOptions extends ExportOptions {
  /** Of the file to write; one that exists is replaced. */
  readonly path: string;
}

/** What `toParquet()` takes. */
export const parquetRules: OptionRules<ParquetOptions> = { path: anything, ...exportRules };

/**
 * Writes a frame as GeoParquet 1.0 (zstd, geometries as WKB in OGC:CRS84). A frame without geometries becomes plain
 * Parquet.
 *
 * @throws ArgumentError if it cannot be written there; a file that stood there stays
 */
export async function toParquet(frame: ExportTable, { path }: ParquetOptions): Promise<void> {
  if (frame.columns.length === 0) throw noColumns("toParquet()");
  const options = "FORMAT parquet, COMPRESSION zstd, GEOPARQUET_VERSION 'V1', USE_TMP_FILE false";
  await replaceFile(path, (unfinished) =>
    withLayerDatabase(frame, "GEOMETRY", async (connection) => {
      try {
        await connection.run(`COPY layer TO '${unfinished.replaceAll("'", "''")}' (${options})`);
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new ArgumentError(`The table cannot be written to ${path}: ${reason}`, { cause, facts: { path } });
      }
    }),
  );
}
