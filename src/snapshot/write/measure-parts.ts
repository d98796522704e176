import type { DuckDBConnection } from "@duckdb/node-api";
import type { SnapshotFile } from "../format/manifest.js";
import { sqlList, sqlText } from "../format/sql-text.js";
import { schemaOf } from "../format/table-schema.js";

/** A part of the log and where it stands. */
export interface PlacedPart {
  readonly file: SnapshotFile;
  readonly path: string;
}

/** A part with what decides how it is joined. */
export interface MeasuredPart extends PlacedPart {
  /** Its first and its last feature. */
  readonly first: number;
  readonly last: number;
  /** Bytes that a row takes in memory, about. */
  readonly rowBytes: number;
  /** Whether it stays alone: its smallest row group takes all the memory that there is for one. */
  readonly isLarge: boolean;
}

/** A row group is put together in memory. */
export const MOST_GROUP_BYTES = 2 ** 25;
/** What a row takes in DuckDB beside its texts. */
const ROW_BYTES = 150;

const schema = schemaOf("propertyChanges");
const [FEATURE] = schema.order;

/** Looks at parts of the log before they are joined. */
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
           (SELECT sum(total_uncompressed_size) FROM parquet_metadata(${sqlText(part.path)}))::DOUBLE
         FROM ${readParts([part])}`,
      )
    ).getRows();
    const rowBytes = ROW_BYTES + Number(bytes) / Math.max(1, part.file.rows);
    const isLarge = schema.rowGroupSize * rowBytes > MOST_GROUP_BYTES;
    measured.push({ ...part, first: Number(first), last: Number(last), rowBytes, isLarge });
  }
  return measured;
}

/** Parts as an SQL table. */
export function readParts(parts: readonly PlacedPart[]): string {
  return `read_parquet(${sqlList(parts.map(({ path }) => path))}, hive_partitioning = false)`;
}
