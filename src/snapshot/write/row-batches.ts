import type { DuckDBConnection } from "@duckdb/node-api";
import { wholeChunks } from "../database/whole-chunks.js";
import type { TableSchema } from "../format/table-schema.js";

/** Rows to divide into parts. */
export interface RowSource {
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
