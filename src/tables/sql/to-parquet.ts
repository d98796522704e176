import { FileError } from "../../core/errors.js";
import { anything, type OptionRules } from "../../core/options.js";
import { type ExportOptions, type ExportTable, exportRules, noColumns } from "../export/export-table.js";
import { geoParquetMetadata } from "../export/geoparquet.js";
import { replaceFile } from "../export/replace-file.js";
import { storableGeometry } from "../export/sound-geometry.js";
import { summarizeGeometries } from "../export/wkb.js";
import { withLayerDatabase } from "./layer-database.js";
import { withoutValues } from "./query-error.js";
import { quotedName, sqlNames } from "./sql-names.js";
import { sqlText, TO_PARQUET } from "./sql-text.js";

/** Options of `toParquet()`. */
export interface ParquetOptions extends ExportOptions {
  /** Path of the file to write; an existing file is replaced. */
  readonly path: string;
}

/** Rules for the options of `toParquet()`. */
export const parquetRules: OptionRules<ParquetOptions> = { path: anything, ...exportRules };

/**
 * Writes a frame as GeoParquet 1.0 (zstd, geometries as WKB in OGC:CRS84), even if all geometries are null. A frame
 * without a column of geometries becomes plain Parquet. Instants are UTC; the key `siteframe:time_zones` has the zones of
 * columns with another one, as a JSON object by name.
 *
 * @throws ArgumentError if the path cannot be written, and for an invalid geometry, with its row and id; an existing
 * file then stays
 */
export async function toParquet(frame: ExportTable, { path }: ParquetOptions): Promise<void> {
  if (frame.columns.length === 0) throw noColumns("toParquet()");
  const metadata = Object.entries({ geo: geoMetadata(frame), [TIME_ZONES]: timeZones(frame) }).flatMap(
    ([key, value]) => (value === undefined ? [] : [`${quotedName(key)}: ${sqlText(value)}`]),
  );
  const keys = metadata.length === 0 ? "" : `, KV_METADATA {${metadata.join()}}`;
  // We write the GeoParquet metadata, because DuckDB's writer omits it if no row has a geometry.
  const options = `${TO_PARQUET}, GEOPARQUET_VERSION 'NONE', USE_TMP_FILE false${keys}`;
  await replaceFile(path, (unfinished) =>
    withLayerDatabase(frame, "WKB", async (connection) => {
      try {
        await connection.run(`COPY layer TO ${sqlText(unfinished)} (${options})`);
      } catch (cause) {
        const { text, isWhole } = withoutValues(cause instanceof Error ? cause.message : String(cause), "");
        throw new FileError(`toParquet(): the table cannot be written to ${path}: ${text}`, {
          ...(isWhole ? { cause } : {}),
          facts: { path },
        });
      }
    }),
  );
}

/** Key of the metadata: Parquet has no place for the zone of an instant. */
const TIME_ZONES = "siteframe:time_zones";

function timeZones(frame: ExportTable): string | undefined {
  const { names } = sqlNames(frame.columns);
  const zones = frame.columns.flatMap(({ kind, format: { timeZone = "UTC" } = {} }, index) =>
    kind === "instant" && timeZone !== "UTC" ? [[names[index], timeZone] as const] : [],
  );
  return zones.length === 0 ? undefined : JSON.stringify(Object.fromEntries(zones));
}

/** @throws ArgumentError for an invalid geometry */
function geoMetadata(frame: ExportTable): string | undefined {
  const { names } = sqlNames(frame.columns);
  return geoParquetMetadata(
    frame.columns.flatMap((column, index) => {
      if (column.kind !== "geometry") return [];
      const at = storableGeometry("toParquet()", frame, column);
      return [{ name: names[index] as string, ...summarizeGeometries(frame.rowCount, at) }];
    }),
  );
}
