import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { SnapshotFile } from "../format/manifest.js";
import { sqlList, sqlText } from "../format/sql-text.js";
import { schemaOf } from "../format/table-schema.js";
import { rowStretches } from "./row-stretches.js";
import { writeCopy } from "./write-part.js";

/** Bytes of parts that make a file of the log: engines read small ones whole. */
export const FULL_BYTES = 2 ** 24;
/** A file that has become smaller is joined again. Large row groups take a little less than the parts did. */
export const SMALL_BYTES = 16_000_000;

/** A part of the log and where it stands. */
export interface PlacedPart {
  readonly file: SnapshotFile;
  readonly path: string;
}

/** A part with what decides how it is joined. */
interface MeasuredPart extends PlacedPart {
  /** Its first and its last feature. */
  readonly first: number;
  readonly last: number;
  /** Bytes that a row takes in memory, about. */
  readonly rowBytes: number;
}

/**
 * Engines gain from large row groups, of which they skip whole columns; a page of changes has to unpack the group that
 * it is in. A hundredth of the log costs a page no more than looking through its files. Decision 67.
 */
const GROUPS_OF_LOG = 100;
const MOST_GROUP_ROWS = 122_880;
/** A row group is put together in memory. */
const MOST_GROUP_BYTES = 2 ** 25;
/** What a row takes in DuckDB beside its texts. */
const ROW_BYTES = 150;
/** DuckDB writes row groups of whole vectors. */
const VECTOR_ROWS = 2048;

const schema = schemaOf("propertyChanges");
const [FEATURE] = schema.order;

/**
 * Joins parts of one site's log to full files, sorted by feature. Parts of large records stay as they are: each is as
 * large as memory allows.
 *
 * @param root folder in which the snapshot is being built
 * @param logRows rows of the site's whole log
 */
export async function joinParts(
  connection: DuckDBConnection,
  root: string,
  parts: readonly PlacedPart[],
  logRows: number,
): Promise<readonly SnapshotFile[]> {
  const measured = await measure(connection, parts);
  const isLarge = ({ rowBytes }: MeasuredPart) => schema.rowGroupSize * rowBytes > MOST_GROUP_BYTES;
  const large = measured.filter(isLarge).map(({ file }) => file);
  const sorted = await inOrder(
    connection,
    root,
    measured.filter((part) => !isLarge(part)),
  );
  const joined: SnapshotFile[] = [];
  for (const run of fullRuns(sorted)) joined.push(await joinRun(connection, root, run, logRows));
  return [...joined, ...large];
}

async function measure(connection: DuckDBConnection, parts: readonly PlacedPart[]): Promise<readonly MeasuredPart[]> {
  const measured: MeasuredPart[] = [];
  for (const part of parts) {
    const [[first, last, bytes] = []] = await (
      await connection.run(
        `SELECT min(${FEATURE})::DOUBLE, max(${FEATURE})::DOUBLE,
           (SELECT sum(total_uncompressed_size) FROM parquet_metadata(${sqlText(part.path)}))::DOUBLE
         FROM ${read([part])}`,
      )
    ).getRows();
    const rowBytes = ROW_BYTES + Number(bytes) / Math.max(1, part.file.rows);
    measured.push({ ...part, first: Number(first), last: Number(last), rowBytes });
  }
  return measured;
}

/** Parts one behind the other: those of several pulls hold the same features and are sorted into new ones. */
async function inOrder(
  connection: DuckDBConnection,
  root: string,
  parts: readonly MeasuredPart[],
): Promise<readonly MeasuredPart[]> {
  const ordered = parts.toSorted((a, b) => a.first - b.first);
  const overlaps = ordered.some(({ first }, index) => first <= (ordered[index - 1]?.last ?? Number.NEGATIVE_INFINITY));
  const [site] = parts.map(({ file }) => file.site_id ?? null);
  if (!overlaps || site === undefined) return ordered;
  const table = read(parts);
  const sorted: PlacedPart[] = [];
  for (const condition of await rowStretches(connection, schema, {
    table,
    condition: "true",
    recordBytes: "record_bytes",
  })) {
    const select = `SELECT * FROM ${table} WHERE ${condition} ORDER BY ${schema.order.join()}`;
    const file = await writeCopy(connection, schema, root, site, select);
    sorted.push({ file, path: join(root, file.path) });
  }
  return measure(connection, sorted);
}

/** Neighbours that are a full file together; what is left belongs to the last. */
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
  if (only && run.length === 1) return only.file;
  const widest = Math.max(...run.map(({ rowBytes }) => rowBytes));
  const rows = Math.min(MOST_GROUP_ROWS, logRows / GROUPS_OF_LOG, MOST_GROUP_BYTES / widest);
  const rowGroupSize = Math.max(schema.rowGroupSize, VECTOR_ROWS * Math.floor(rows / VECTOR_ROWS));
  return writeCopy(connection, { ...schema, rowGroupSize }, root, only?.file.site_id ?? null, `FROM ${read(run)}`);
}

function read(parts: readonly PlacedPart[]): string {
  return `read_parquet(${sqlList(parts.map(({ path }) => path))}, hive_partitioning = false)`;
}
