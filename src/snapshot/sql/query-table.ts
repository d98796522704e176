import type { DuckDBValueConverter, JS } from "@duckdb/node-api";
import type { ColumnTable } from "arquero";
import { toTable } from "../../columns/column/table.js";
import { queryError } from "../../columns/export/query-error.js";
import { checkSelects, sandboxHint } from "../../columns/export/sandbox.js";
import { declareType } from "../../columns/types/declared-type.js";
import { SiteframeError } from "../../core/errors.js";
import { dateOf } from "../../core/instant.js";
import type { Database } from "../database/database.js";
import { sqlText } from "../format/sql-text.js";
import type { PastMacros } from "./past-macros.js";
import { statementText } from "./statement-text.js";
import { type ViewNotes, viewHint } from "./view-names.js";

/** What a query names. */
export interface NamedThings {
  readonly notes: ViewNotes;
  readonly past: PastMacros;
}

/** A query, and how much of its result is wanted. */
export interface BoundedQuery {
  readonly query: string;
  readonly limit?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a query and gives its result as a table: integers as numbers where they are exact, timestamps as `Date`.
 *
 * @param named what the query names
 * @throws ArgumentError with the database's own words if the query is wrong
 * @throws SnapshotError if a file is damaged
 */
export async function queryTable(
  database: Database,
  { query, limit, signal }: BoundedQuery,
  named: NamedThings,
): Promise<ColumnTable> {
  return told(database, query, named, async () => {
    return database.useForQuery(async (connection) => {
      await named.past.create(connection);
      const text = limit === undefined ? query : await statementText(connection, query);
      // What is a statement by itself cannot end the one that it is put into.
      if (database.isSandbox) await checkSelects(connection, text);
      const bounded = limit === undefined ? text : `FROM (\n${text}\n) LIMIT ${limit}`;
      const reader = await connection.runAndReadAll(bounded);
      const columns = reader.convertColumns(await valueConverter());
      const types = reader.columnTypes().map(String);
      const values = columns.map((column, index) => {
        const plain = column.map(plainValue);
        return types[index] === "DATE" ? declareType(plain, { of: "table", type: "date" }) : plain;
      });
      return toTable(reader.deduplicatedColumnNames().map((name, index) => [name, values[index] ?? []] as const));
    }, signal);
  }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
}

/**
 * Runs a query and writes its result to a file.
 *
 * @param named what the query names
 * @param format options of DuckDB's COPY
 */
export async function copyQuery(
  database: Database,
  query: string,
  named: NamedThings,
  path: string,
  format: string,
): Promise<void> {
  await told(database, query, named, async () => {
    return database.useForQuery(async (connection) => {
      await named.past.create(connection);
      const text = await statementText(connection, query);
      // What is a statement by itself cannot end the one that it is put into.
      if (database.isSandbox) await checkSelects(connection, text);
      await connection.run(`COPY (\n${text}\n) TO ${sqlText(path)} (${format}, USE_TMP_FILE false)`);
    });
  });
}

async function told<T>(
  database: Database,
  query: string,
  { notes, past }: NamedThings,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof SiteframeError) throw cause;
    throw (
      past.refusal(String(cause)) ??
      queryError("The query failed", query, cause, (message) => {
        return (
          viewHint(message, notes) ?? past.hint(message) ?? (database.isSandbox ? sandboxHint(message) : undefined)
        );
      })
    );
  }
}

/** DuckDB's own makes dates before 1970 a millisecond too late where they have microseconds. */
async function valueConverter(): Promise<DuckDBValueConverter<unknown>> {
  const { DuckDBDateValue, DuckDBTimestampTZValue, DuckDBTimestampValue, JSDuckDBValueConverter } = await import(
    "@duckdb/node-api"
  );
  return (value, type, convert) => {
    const isInstant = value instanceof DuckDBTimestampTZValue || value instanceof DuckDBTimestampValue;
    if (isInstant) return dateOf(Number(value.micros));
    // A calendar date has no zone, as everywhere else here.
    if (value instanceof DuckDBDateValue) return value.toString();
    return plainValue(JSDuckDBValueConverter(value, type, convert as DuckDBValueConverter<JS>));
  };
}

function plainValue(value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
}
