import type { DuckDBConnection } from "@duckdb/node-api";
import type { ColumnTable } from "arquero";
import { SiteframeError } from "../../core/errors.js";
import type { Finding } from "../../core/finding.js";
import { type CopyFormat, copySelect } from "../../tables/sql/copy-select.js";
import { queryError } from "../../tables/sql/query-error.js";
import { resultTable } from "../../tables/sql/result-table.js";
import { checkCalls, checkSelects, sandboxHint } from "../../tables/sql/sandbox.js";
import { quotedName } from "../../tables/sql/sql-names.js";
import type { Database } from "../database/database.js";
import { memoryHint } from "../database/read-failures.js";
import type { PastMacros } from "./past-macros.js";
import { type ViewNotes, viewHint } from "./view-names.js";

/** What a query names. */
export interface NamedThings {
  readonly notes: ViewNotes;
  readonly past: PastMacros;
  /** Views that the query sees in place of those of the same name, by name. */
  readonly overViews: ReadonlyMap<string, string>;
}

/** A query, and how much of its result is wanted. */
export interface BoundedQuery {
  readonly query: string;
  readonly limit?: number | undefined;
  /** How many of its first rows are left out. */
  readonly offset?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a query and gives its result as a table.
 *
 * @param named what the query names
 * @throws ArgumentError with the database's own words if the query is wrong
 * @throws SnapshotError if a file is damaged
 */
export async function queryTable(
  database: Database,
  { query, limit, offset = 0, signal }: BoundedQuery,
  named: NamedThings,
): Promise<ColumnTable> {
  return told(database, query, named, async () => {
    return database.useForQuery(async (connection) => {
      await createOwn(connection, named);
      const isPart = limit !== undefined || offset > 0;
      if (database.isSandbox) await checkCalls(connection, query);
      const text = isPart ? await statementText(connection, query) : query;
      // What is a statement by itself cannot end the one that it is put into.
      if (database.isSandbox) await checkSelects(connection, text);
      const bounded = isPart ? `FROM (\n${text}\n) LIMIT ${limit ?? "ALL"} OFFSET ${offset}` : text;
      return resultTable(await connection.run(bounded), { signal });
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
 * @returns diagnostics about its geometries
 */
export async function copyQuery(
  database: Database,
  query: string,
  named: NamedThings,
  path: string,
  format: CopyFormat,
): Promise<readonly Finding[]> {
  return told(database, query, named, async () => {
    return database.useForQuery(async (connection) => {
      await createOwn(connection, named);
      if (database.isSandbox) await checkCalls(connection, query);
      const text = await statementText(connection, query);
      // What is a statement by itself cannot end the one that it is put into.
      if (database.isSandbox) await checkSelects(connection, text);
      return copySelect(connection, text, path, format);
    });
  });
}

/** Makes what is the query's alone, on its connection. */
async function createOwn(connection: DuckDBConnection, { past, overViews }: NamedThings): Promise<void> {
  await past.create(connection);
  for (const [name, statement] of overViews) {
    await connection.run(`CREATE OR REPLACE TEMP VIEW ${quotedName(name)} AS ${statement}`);
  }
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
 * The text of a query's only statement without the semicolon that closes it and what stands behind that, so that it can
 * stand in another statement, on lines of its own: it may end in a comment. A query of several statements stays as it is.
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
