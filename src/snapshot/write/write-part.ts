import { randomUUID } from "node:crypto";
import { mkdir, open, stat } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { renamePath } from "../../core/busy-files.js";
import { boxSides, type GeometryColumn, geoParquetMetadata } from "../../tables/export/geoparquet.js";
import { geometryTypeOf } from "../../tables/export/wkb.js";
import { literalPath, sqlText } from "../../tables/sql/sql-text.js";
import { writeColumns } from "../columns/write-columns.js";
import { parquetFiles } from "../database/parquet-files.js";
import { wholeChunks } from "../database/whole-chunks.js";
import { hashFile } from "../format/hash-files.js";
import { COLUMNS, FILES, type SnapshotFile } from "../format/manifest.js";
import { tableFolder } from "../format/snapshot-paths.js";
import { logGroups, schemaOf, type TableSchema } from "../format/table-schema.js";
import { fromStaged } from "./row-appender.js";

/** Folder of rows without a site: Hive's name for null, which DuckDB, Arrow and Spark read as null. */
const NULL_SITE = "__HIVE_DEFAULT_PARTITION__";

/**
 * Writes rows of a staged table as one Parquet file, named after its content.
 *
 * @param root folder of the snapshot under construction
 * @param site of the rows; undefined for all rows of a table that is not stored by site
 * @param condition SQL condition of the rows
 */
export async function writePart(
  connection: DuckDBConnection,
  schema: TableSchema,
  root: string,
  site: number | null | undefined,
  condition: string,
): Promise<SnapshotFile> {
  const columns = schema.columns.filter(({ name }) => site === undefined || name !== "site_id");
  const select = [...columns.map(fromStaged), "strlen(record)::INTEGER AS record_bytes", "record"];
  const order = schema.order.map((name) => `"${name}"`).join();
  const sorted = `SELECT ${select.join()} FROM ${schema.name} WHERE ${condition} ORDER BY ${order}`;
  return writeCopy(connection, schema, root, site, sorted);
}

/**
 * Writes the rows of a statement as one Parquet file, named after its content, on the disk when the promise resolves.
 */
export async function writeCopy(
  connection: DuckDBConnection,
  schema: TableSchema,
  root: string,
  site: number | null | undefined,
  select: string,
): Promise<SnapshotFile> {
  const unfinished = join(root, `${randomUUID()}.parquet`);
  const metadata = await geoMetadata(connection, schema, select);
  const geo = metadata === undefined ? "" : `, GEOPARQUET_VERSION 'NONE', KV_METADATA {geo: ${sqlText(metadata)}}`;
  const result = await connection.run(
    `COPY (${select}) TO ${sqlText(unfinished)}
     (FORMAT parquet, COMPRESSION ${schema.compression}, ROW_GROUP_SIZE ${schema.rowGroupSize}${geo})`,
  );
  const [sha256] = await Promise.all([hashFile(unfinished), syncFile(unfinished)]);
  const table = tableFolder(schema.name);
  const folder = site === undefined ? table : `${table}/site_id=${site ?? NULL_SITE}`;
  const path = `${folder}/part-${sha256.slice(0, 16)}.parquet`;
  await mkdir(join(root, folder), { recursive: true });
  await renamePath(unfinished, join(root, path));
  const { size: bytes } = await stat(join(root, path));
  const siteColumn = site === undefined ? {} : { site_id: site };
  const file = { path, resource: schema.resource, ...siteColumn, rows: result.rowsChanged, bytes, sha256 };
  return schema.columnFiles ? withColumns(connection, root, file, join(root, path)) : file;
}

/** GeoParquet metadata of the geometries in a statement; undefined for tables without geometries. */
async function geoMetadata(
  connection: DuckDBConnection,
  { columns }: TableSchema,
  select: string,
): Promise<string | undefined> {
  const described: GeometryColumn[] = [];
  for (const { name, boxOf } of columns) {
    if (boxOf === undefined) continue;
    const sides = boxSides.map((side) => `${side.endsWith("min") ? "min" : "max"}(box.${side})`);
    const result = await connection.run(
      `SELECT string_agg(DISTINCT hex(shape[2:5])), ${sides.join()}
       FROM (SELECT "${boxOf}" AS shape, "${name}" AS box FROM (${select}))`,
    );
    const [[codes, ...extent] = []] = await result.getRows();
    // After the byte for the byte order: low bytes come first.
    const types =
      typeof codes === "string" ? codes.split(",").map((code) => Buffer.from(code, "hex").readUInt32LE()) : [];
    const isSomewhere = extent.every((side) => side !== null);
    described.push({
      name: boxOf,
      box: name,
      types: types.map(geometryTypeOf).sort(),
      extent: isSomewhere ? (extent.map(Number) as [number, number, number, number]) : undefined,
    });
  }
  return geoParquetMetadata(described);
}

/**
 * Returns a Parquet file with its column file, which is written if missing.
 *
 * @param root folder of the snapshot under construction
 * @param path of the Parquet file
 */
export async function withColumns(
  connection: DuckDBConnection,
  root: string,
  file: SnapshotFile,
  path: string,
): Promise<SnapshotFile> {
  const { columnFiles } = schemaOf(file.resource);
  if (file.columns || !columnFiles) return file;
  const name = file.path.slice(FILES.length + 1).replace(/\.parquet$/, ".columns");
  const columns = await writeColumns(connection, path, root, `${FILES}/${COLUMNS}/${name}`, columnFiles);
  const about =
    columnFiles === "changes"
      ? await featureRanges(connection, path)
      : columnFiles === "members"
        ? await semanticTypesOf(connection, path)
        : {};
  return { ...file, ...about, columns };
}

/** Every reader reads the whole manifest, so long lists are left in the file. */
const MOST_TYPES = 32;

async function semanticTypesOf(
  connection: DuckDBConnection,
  path: string,
): Promise<Pick<SnapshotFile, "semantic_types">> {
  const result = await connection.run(
    `SELECT DISTINCT semantic_type FROM ${parquetFiles([path])}
     WHERE semantic_type IS NOT NULL ORDER BY ALL LIMIT ${MOST_TYPES + 1}`,
  );
  const types = (await result.getRows()).map(([type]) => String(type));
  return types.length > MOST_TYPES ? {} : { semantic_types: types };
}

/** Maximum count of id ranges of a part: features of one site mostly have few runs of ids. */
const MOST_RANGES = 16;

async function featureRanges(connection: DuckDBConnection, path: string): Promise<Pick<SnapshotFile, "feature_ids">> {
  const result = await connection.run(`SELECT DISTINCT "${FEATURE}"::DOUBLE FROM ${parquetFiles([path])}`);
  const ids = Float64Array.from(await result.getRows(), ([id]) => Number(id)).sort();
  if (ids.length === 0) return { feature_ids: [] };
  const gapBefore = (index: number) => (ids[index] as number) - (ids[index - 1] as number);
  const widest = Array.from(ids.keys())
    .filter((index) => index > 0 && gapBefore(index) > 1)
    .sort((a, b) => gapBefore(b) - gapBefore(a))
    .slice(0, MOST_RANGES - 1)
    .sort((a, b) => a - b);
  const starts = [0, ...widest];
  const ends = [...widest, ids.length];
  return {
    feature_ids: starts.flatMap((start, at) => [ids[start] as number, ids[(ends[at] as number) - 1] as number]),
  };
}

/** Flushes a file to the disk: its name promises its content, also after a power failure. */
async function syncFile(path: string): Promise<void> {
  await using file = await open(path, "r+");
  await file.sync();
}

/** A part of the log and its path. */
export interface PlacedPart {
  readonly file: SnapshotFile;
  readonly path: string;
}

/** A part with the facts that decide how it is joined. */
export interface MeasuredPart extends PlacedPart {
  /** Its first and its last feature. */
  readonly first: number;
  readonly last: number;
  /** Approximate bytes of a row in memory. */
  readonly rowBytes: number;
  /** Whether it stays separate: its smallest row group needs all memory for a row group. */
  readonly isLarge: boolean;
}

/** Bytes of a row in DuckDB in addition to its strings. */
const ROW_BYTES = 150;

const schema = schemaOf("propertyChanges");
const [FEATURE] = schema.order;

/** Measures parts of the log before they are joined. */
export async function measureParts(
  connection: DuckDBConnection,
  parts: readonly PlacedPart[],
  signal?: AbortSignal,
): Promise<readonly MeasuredPart[]> {
  const measured: MeasuredPart[] = [];
  for (const part of parts) {
    signal?.throwIfAborted();
    const [[first, last, bytes] = []] = await (
      await connection.run(
        `SELECT min(${FEATURE})::DOUBLE, max(${FEATURE})::DOUBLE,
           (SELECT sum(total_uncompressed_size) FROM parquet_metadata(${sqlText(literalPath(part.path))}))::DOUBLE
         FROM ${readParts([part])}`,
      )
    ).getRows();
    const rowBytes = ROW_BYTES + Number(bytes) / Math.max(1, part.file.rows);
    const isLarge = logGroups.least * rowBytes > logGroups.mostBytes;
    measured.push({ ...part, first: Number(first), last: Number(last), rowBytes, isLarge });
  }
  return measured;
}

/** Parts as an SQL table. */
export function readParts(parts: readonly PlacedPart[]): string {
  return parquetFiles(parts.map(({ path }) => path));
}

/** Rows to divide into parts. */
interface RowSource {
  /** An SQL table. */
  readonly table: string;
  /** Condition of the rows. */
  readonly condition: string;
  /** Expression for the bytes of a row's record. */
  readonly recordBytes: string;
}

/**
 * Returns conditions that select the rows of one part each, in the order of the table, since sorting all rows of a site
 * may exceed the memory. Parts have similar sizes, so that the last is not small. The rows of one feature stay
 * together.
 */
export async function rowBatches(
  connection: DuckDBConnection,
  schema: TableSchema,
  { table, condition, recordBytes }: RowSource,
): Promise<string[]> {
  const [key = "id"] = schema.order;
  // Share of a full part per row, by count or by bytes, whichever fills parts sooner.
  const [[inRows, inBytes] = []] = await (
    await connection.run(
      `SELECT count(*) / ${schema.partRows}::DOUBLE, coalesce(sum(${recordBytes}), 0) / ${schema.partBytes}::DOUBLE
       FROM ${table} WHERE ${condition}`,
    )
  ).getRows();
  const isByBytes = Number(inBytes) > Number(inRows);
  const full = isByBytes ? Number(inBytes) : Number(inRows);
  const parts = Math.round(full);
  if (parts <= 1) return [condition];
  const share = full / parts;
  const weight = isByBytes ? `sum(${recordBytes}) / ${schema.partBytes}` : `count(*) / ${schema.partRows}`;
  const counted = wholeChunks(
    connection,
    `SELECT ${key}::DOUBLE, (${weight})::DOUBLE FROM ${table} WHERE ${condition} GROUP BY ${key} ORDER BY ${key}`,
  );
  const ends: number[] = [];
  let filled = 0;
  for await (const chunk of counted) {
    for (const [id, taken] of chunk.getRows()) {
      filled += Number(taken);
      // Sums of shares are not exact.
      if (filled < share * (ends.length + 1) - 1e-9) continue;
      ends.push(Number(id));
    }
  }
  // There is nothing after the last end.
  return [...ends.slice(0, -1), undefined].map((end, index) => {
    const after = index === 0 ? "" : ` AND ${key} > ${ends[index - 1]}`;
    return `${condition}${after}${end === undefined ? "" : ` AND ${key} <= ${end}`}`;
  });
}
