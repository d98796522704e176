import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { removeFile } from "../../core/busy-files.js";
import { VECTOR_ROWS } from "../../tables/sql/load-duckdb.js";
import type { SnapshotFile } from "../format/manifest.js";
import { logGroups, schemaOf, type TableSchema } from "../format/table-schema.js";
import {
  type MeasuredPart,
  measureParts,
  type PlacedPart,
  readParts,
  rowBatches,
  withColumns,
  writeCopy,
} from "./write-part.js";

/** Bytes of parts in a full file of the log: engines read small files completely. */
export const FULL_BYTES = 2 ** 24;
/** A file below this size is joined again. Large row groups need slightly less than the parts did. */
export const SMALL_BYTES = 16_000_000;

/** Progress of a join; parts with the same features are sorted first. */
export interface JoinProgress {
  readonly stage: "sorting" | "joining";
  readonly rows: number;
  readonly total: number;
}

/** Options of a join. */
interface JoinOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called at the start of a stage and after each of its files. */
  readonly onProgress?: (progress: JoinProgress) => void;
}

const schema = schemaOf("propertyChanges");

/**
 * Joins parts of one site's log to full files, sorted by feature, with their column files. Parts of large records stay
 * unchanged, since each is as large as memory allows.
 *
 * @param root folder of the snapshot under construction
 * @param logRows count of rows in the site's whole log
 * @throws the signal's reason after it is aborted
 */
export async function joinParts(
  connection: DuckDBConnection,
  root: string,
  parts: readonly MeasuredPart[],
  logRows: number,
  options: JoinOptions = {},
): Promise<readonly SnapshotFile[]> {
  const { signal, onProgress } = options;
  const small = parts.filter(({ isLarge }) => !isLarge);
  const sorted = await inOrder(connection, root, small, options);
  const partPaths = new Set(parts.map(({ path }) => path));
  const total = rowsIn(small);
  const files: SnapshotFile[] = [];
  let rows = 0;
  if (total > 0) onProgress?.({ stage: "joining", rows, total });
  for (const run of fullRuns(sorted)) {
    signal?.throwIfAborted();
    const file = await joinRun(connection, root, run, logRows);
    files.push(file);
    rows += file.rows;
    onProgress?.({ stage: "joining", rows, total });
    if (run.length > 1) for (const { path } of run) if (!partPaths.has(path)) await removeFile(path);
  }
  for (const part of parts.filter(({ isLarge }) => isLarge)) {
    signal?.throwIfAborted();
    files.push(await withColumns(connection, root, part.file, part.path));
  }
  return files;
}

/** Returns consecutive parts: parts of several pulls have the same features and are sorted into new ones. */
async function inOrder(
  connection: DuckDBConnection,
  root: string,
  parts: readonly MeasuredPart[],
  { signal, onProgress }: JoinOptions,
): Promise<readonly MeasuredPart[]> {
  const ordered = parts.toSorted((a, b) => a.first - b.first);
  const overlaps = ordered.some(({ first }, index) => first <= (ordered[index - 1]?.last ?? Number.NEGATIVE_INFINITY));
  const [site] = parts.map(({ file }) => file.site_id ?? null);
  if (!overlaps || site === undefined) return ordered;
  const source = { table: readParts(parts), condition: "true", recordBytes: "record_bytes" };
  const total = rowsIn(parts);
  const sorted: PlacedPart[] = [];
  onProgress?.({ stage: "sorting", rows: 0, total });
  for (const condition of await rowBatches(connection, schema, source)) {
    signal?.throwIfAborted();
    const select = `SELECT * FROM ${source.table} WHERE ${condition} ORDER BY ${schema.order.join()}`;
    const file = await writeCopy(connection, logParts, root, site, select);
    sorted.push({ file, path: join(root, file.path) });
    onProgress?.({ stage: "sorting", rows: rowsIn(sorted), total });
  }
  return measureParts(connection, sorted, signal);
}

/** Neighbors that fill a file together; the rest belongs to the last. */
function fullRuns(parts: readonly MeasuredPart[]): readonly (readonly MeasuredPart[])[] {
  const runs: MeasuredPart[][] = [];
  let bytes = FULL_BYTES;
  let left = parts.reduce((sum, { file }) => sum + file.bytes, 0);
  for (const part of parts) {
    if (bytes >= FULL_BYTES && (runs.length === 0 || left >= FULL_BYTES)) {
      runs.push([]);
      bytes = 0;
    }
    runs.at(-1)?.push(part);
    bytes += part.file.bytes;
    left -= part.file.bytes;
  }
  return runs;
}

async function joinRun(
  connection: DuckDBConnection,
  root: string,
  run: readonly MeasuredPart[],
  logRows: number,
): Promise<SnapshotFile> {
  const [only] = run;
  if (only && run.length === 1) return withColumns(connection, root, only.file, only.path);
  const widest = Math.max(...run.map(({ rowBytes }) => rowBytes));
  const rows = Math.min(logGroups.most, logRows / logGroups.count, logGroups.mostBytes / widest);
  // DuckDB writes row groups of whole vectors.
  const rowGroupSize = Math.max(logGroups.least, VECTOR_ROWS * Math.floor(rows / VECTOR_ROWS));
  return writeCopy(connection, { ...schema, rowGroupSize }, root, only?.file.site_id ?? null, `FROM ${readParts(run)}`);
}

function rowsIn(parts: readonly PlacedPart[]): number {
  return parts.reduce((sum, { file }) => sum + file.rows, 0);
}

/**
 * Joins the parts of a log that was written at once to full files, site by site.
 *
 * @param root folder of the snapshot under construction, with the parts
 */
export async function joinLog(
  connection: DuckDBConnection,
  root: string,
  files: readonly SnapshotFile[],
): Promise<readonly SnapshotFile[]> {
  const joined: SnapshotFile[] = [];
  for (const parts of partsBySite(files).values()) {
    const placed = parts.map((file) => ({ file, path: join(root, file.path) }));
    joined.push(...(await joinParts(connection, root, await measureParts(connection, placed), rowsOf(parts))));
  }
  return joined;
}

/** The parts of each site. */
export function partsBySite(files: readonly SnapshotFile[]): ReadonlyMap<number | null, readonly SnapshotFile[]> {
  const sites = new Map<number | null, SnapshotFile[]>();
  for (const file of files) {
    const site = file.site_id ?? null;
    const parts = sites.get(site);
    if (parts) parts.push(file);
    else sites.set(site, [file]);
  }
  return sites;
}

/** Count of rows of some parts. */
export function rowsOf(parts: readonly SnapshotFile[]): number {
  return parts.reduce((sum, { rows }) => sum + rows, 0);
}

/** Schema of log parts that will be joined: column files are made only for the final files. */
export const logParts: TableSchema = { ...schemaOf("propertyChanges"), columnFiles: undefined };
