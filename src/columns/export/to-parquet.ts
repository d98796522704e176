import type { Frame } from "./frame.js";
import { sqlName, withLayerDatabase } from "./layer-database.js";

/**
 * Writes a frame as GeoParquet 1.1 (zstd, geometries as WKB in OGC:CRS84). A frame without geometries becomes plain
 * Parquet.
 *
 * @param path of the file; one that exists is replaced
 */
export async function toParquet(frame: Frame, path: string): Promise<void> {
  const selected = frame.columns.map(({ name, kind }) => {
    const column = sqlName(name);
    return kind === "geometry" ? `st_setcrs(${column}::GEOMETRY, 'OGC:CRS84') AS ${column}` : column;
  });
  const target = `'${path.replaceAll("'", "''")}'`;
  const options = "FORMAT parquet, COMPRESSION zstd, GEOPARQUET_VERSION 'V1'";
  await withLayerDatabase(frame, "wkt", async (connection) => {
    await connection.run(`COPY (SELECT ${selected.join()} FROM layer) TO ${target} (${options})`);
  });
}
