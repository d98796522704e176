import type { JS } from "@duckdb/node-api";
import type { ColumnTable } from "arquero";
import { toTable } from "../../columns/column/table.js";
import { queryError } from "../../columns/export/query-error.js";
import { checkSelects, sandboxHint } from "../../columns/export/sandbox.js";
import { ArgumentError, SnapshotError } from "../../core/errors.js";
import type { Database } from "../database/database.js";
import { sqlText } from "../format/sql-text.js";
import { statementText } from "./statement-text.js";
import { type ViewNotes, viewHint } from "./view-names.js";

/**
 * Runs a query and gives its result as a table: integers as numbers where they are exact, timestamps as `Date`.
 *
 * @param notes of the views that the query names
 * @throws ArgumentError with the database's own words if the query is wrong
 * @throws SnapshotError if a file is damaged
 */
export async function queryTable(database: Database, query: string, notes: ViewNotes): Promise<ColumnTable> {
  return told(database, query, notes, async () => {
    return database.useForQuery(async (connection) => {
      if (database.isSandbox) await checkSelects(connection, query);
      const reader = await connection.runAndReadAll(query);
      const columns = reader.getColumnsJS();
      const names = reader.deduplicatedColumnNames();
      return toTable(names.map((name, index) => [name, (columns[index] ?? []).map(plainValue)] as const));
    });
  });
}

/**
 * Runs a query and writes its result to a file.
 *
 * @param notes of the views that the query names
 * @param format options of DuckDB's COPY
 */
export async function copyQuery(
  database: Database,
  query: string,
  notes: ViewNotes,
  path: string,
  format: string,
): Promise<void> {
  await told(database, query, notes, async () => {
    return database.useForQuery(async (connection) => {
      const text = await statementText(connection, query);
      // What is a statement by itself cannot end the one that it is put into.
      if (database.isSandbox) await checkSelects(connection, text);
      await connection.run(`COPY (\n${text}\n) TO ${sqlText(path)} (${format}, USE_TMP_FILE false)`);
    });
  });
}

async function told<T>(database: Database, query: string, notes: ViewNotes, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof ArgumentError || cause instanceof SnapshotError) throw cause;
    throw queryError("The query failed", query, cause, (message) => {
      return viewHint(message, notes) ?? (database.isSandbox ? sandboxHint(message) : undefined);
    });
  }
}

function plainValue(value: JS): unknown {
  if (typeof value !== "bigint") return value;
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}
