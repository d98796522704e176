import type { JS } from "@duckdb/node-api";
import type { ColumnTable } from "arquero";
import { toTable } from "../../columns/column/table.js";
import { ArgumentError } from "../../core/errors.js";
import type { Database } from "../database/database.js";
import { sqlText } from "../format/sql-text.js";

/**
 * Runs a query and gives its result as a table: integers as numbers where they are exact, timestamps as `Date`.
 *
 * @throws ArgumentError with the database's own words if the query is wrong
 */
export async function queryTable(database: Database, query: string): Promise<ColumnTable> {
  return told(async () => {
    return database.use(async (connection) => {
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
 * @param format options of DuckDB's COPY
 */
export async function copyQuery(database: Database, query: string, target: string, format: string): Promise<void> {
  const text = query.trim().replace(/;+$/, "");
  await told(() => database.run(`COPY (${text}) TO ${sqlText(target)} (${format})`));
}

async function told<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    const [message = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n\n", 1);
    const words = message.replace(/\s+/g, " ");
    throw new ArgumentError(`The query failed: ${words}`, { cause });
  }
}

function plainValue(value: JS): unknown {
  if (typeof value !== "bigint") return value;
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}
