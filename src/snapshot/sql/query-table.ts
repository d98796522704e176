import type { DuckDBConnection } from "@duckdb/node-api";
import type { ColumnTable } from "arquero";
import { cellSignal } from "../../core/abort-signal.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import { SiteframeError } from "../../core/errors.js";
import { copySelect, type WriteFormat } from "../../tables/sql/copy-select.js";
import { queryError } from "../../tables/sql/query-error.js";
import { resultTable } from "../../tables/sql/result-table.js";
import { checkCalls, checkSelects, sandboxHint } from "../../tables/sql/sandbox.js";
import { quotedName } from "../../tables/sql/sql-names.js";
import type { Database } from "../database/database.js";
import { memoryHint } from "../database/read-failures.js";
import type { PastMacros } from "./past-macros.js";
import { type ViewNotes, viewHint } from "./view-names.js";

/** Views and macros in a query. */
export interface NamedThings {
  readonly notes: ViewNotes;
  readonly past: PastMacros;
  /** Replacement views for this query, by name. */
  readonly overViews: ReadonlyMap<string, string>;
}

/** A query, with the wanted range of its result. */
export interface BoundedQuery {
  readonly query: string;
  readonly limit?: number | undefined;
  /** Count of first rows to skip. */
  readonly offset?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns the result of a query as a table.
 *
 * @param named views and macros in the query
 * @throws QueryError with the database's message if the query is invalid
 * @throws SnapshotError if a file is damaged
 */
export async function queryTable(
  database: Database,
  { query, limit, offset = 0, signal = cellSignal() }: BoundedQuery,
  named: NamedThings,
): Promise<ColumnTable> {
  return withHints(database, { query, signal }, named, async () => {
    return database.useForQuery(async (connection) => {
      await createOwn(connection, named);
      const isPart = limit !== undefined || offset > 0;
      if (database.isSandbox) await checkCalls(connection, query);
      const text = isPart ? await statementText(connection, query) : query;
      // A statement that is valid alone cannot end the surrounding one.
      if (database.isSandbox) await checkSelects(connection, text);
      const bounded = isPart ? `FROM (\n${text}\n) LIMIT ${limit ?? "ALL"} OFFSET ${offset}` : text;
      return resultTable(await connection.run(bounded), { signal });
    }, signal);
  });
}

/**
 * Writes the result of a query to a file.
 *
 * @param named views and macros in the query
 * @returns diagnostics about its geometries
 */
export async function copyQuery(
  database: Database,
  query: string,
  named: NamedThings,
  path: string,
  format: WriteFormat,
): Promise<readonly Diagnostic[]> {
  const signal = cellSignal();
  return withHints(database, { query, signal }, named, async () => {
    return database.useForQuery(async (connection) => {
      await createOwn(connection, named);
      if (database.isSandbox) await checkCalls(connection, query);
      const text = await statementText(connection, query);
      // A statement that is valid alone cannot end the surrounding one.
      if (database.isSandbox) await checkSelects(connection, text);
      return copySelect(connection, text, path, format);
    }, signal);
  });
}

/** Creates the query's own views and macros on its connection. */
async function createOwn(connection: DuckDBConnection, { past, overViews }: NamedThings): Promise<void> {
  await past.create(connection);
  for (const [name, statement] of overViews) {
    await connection.run(`CREATE OR REPLACE TEMP VIEW ${quotedName(name)} AS ${statement}`);
  }
}

async function withHints<T>(
  database: Database,
  { query, signal }: Pick<BoundedQuery, "query" | "signal">,
  { notes, past }: NamedThings,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof SiteframeError) throw cause;
    throw (
      past.refusal(String(cause)) ??
      queryError("The query failed", query, cause, (message) => {
        return (
          viewHint(message, notes) ??
          past.hint(message) ??
          memoryHint(message) ??
          (database.isSandbox ? sandboxHint(message) : undefined)
        );
      })
    );
  }
}

/**
 * The text of a query's only statement without its semicolon and the text after it, so that it can be embedded in
 * another statement, on separate lines, since it may end with a comment. A query with several statements stays
 * unchanged.
 */
async function statementText(connection: DuckDBConnection, query: string): Promise<string> {
  let text = query;
  for (let end = text.lastIndexOf(";"); end >= 0; end = text.lastIndexOf(";", end - 1)) {
    const [before, behind] = [text.slice(0, end), text.slice(end + 1)];
    if (!/^\s*(;|--|\/\*|$)/.test(behind)) continue;
    if ((await isOneStatement(connection, before)) && (await isOneStatement(connection, `SELECT 1;${behind}`))) {
      text = before;
    }
    if (end === 0) break;
  }
  return text;
}

async function isOneStatement(connection: DuckDBConnection, text: string): Promise<boolean> {
  return connection.extractStatements(text).then(
    ({ count }) => count === 1,
    () => false,
  );
}
