import type { ParsedQuery } from "../../api/parse-query.js";
import type { Database } from "../database/database.js";
import type { SqlPart } from "../database/sql-part.js";
import type { StoredPage } from "./snapshot-store.js";

/** The rows of which a page is a part. */
export interface SelectedRows {
  /** Name of the table, with the schema. */
  readonly table: string;
  readonly where: SqlPart;
  /** An ORDER BY list that leaves no ties. */
  readonly order: string;
}

/**
 * Reads one page by SQL; the engine joins the records' texts.
 *
 * @param signal is aborted when the page is not wanted any more
 */
export async function readPage(
  database: Database,
  { table, where, order }: SelectedRows,
  { page, pageSize }: ParsedQuery,
  signal?: AbortSignal,
): Promise<StoredPage> {
  // encode() gives the text as bytes in UTF-8, which reach JavaScript without a detour over UTF-16.
  const [row] = await database.rows(
    `WITH selected AS MATERIALIZED (FROM ${table} WHERE ${where.sql}),
     page AS (FROM selected ORDER BY ${order} LIMIT ${pageSize} OFFSET ${offsetOf(page, pageSize)})
     SELECT (SELECT count(*) FROM selected)::DOUBLE,
       encode('[' || coalesce((SELECT string_agg(record, ',' ORDER BY ${order}) FROM page), '') || ']')`,
    where.parameters,
    signal,
  );
  const [rowCount, data] = row ?? [];
  if (typeof rowCount !== "number" || !isBlob(data)) throw new TypeError("DuckDB gave no page");
  return { data: data.bytes, rowCount };
}

/** Rows before a page. Pages beyond any row that there can be are all the same to SQL. */
export function offsetOf(page: number, pageSize: number): number {
  return Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER);
}

function isBlob(value: unknown): value is { readonly bytes: Uint8Array } {
  return typeof value === "object" && value !== null && "bytes" in value && value.bytes instanceof Uint8Array;
}
