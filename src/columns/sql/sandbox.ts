import type { DuckDBConnection } from "@duckdb/node-api";
import { ArgumentError } from "../../core/errors.js";
import { loadDuckDB } from "./load-duckdb.js";

/**
 * Shuts a database in for good: of all files only some can be opened, and neither other databases nor extensions nor
 * settings can be had any more.
 *
 * @param files absolute paths. What is here could also be written: queries must be `SELECT`s, see `checkSelects`
 */
export async function shutIn(connection: DuckDBConnection, files: readonly string[]): Promise<void> {
  const paths = files.map((file) => `'${file.replaceAll("'", "''")}'`);
  await connection.run(`SET GLOBAL allowed_paths = [${paths.join()}]`);
  await connection.run("SET GLOBAL enable_external_access = false");
  await connection.run("SET GLOBAL lock_configuration = true");
}

/**
 * Lets a query pass if each of its statements is a `SELECT`, or what DuckDB takes in its place: `FROM`, `VALUES`,
 * `DESCRIBE`, `SUMMARIZE`, `SHOW`.
 *
 * @throws ArgumentError for every other statement; DuckDB's error for a query that is wrong
 */
export async function checkSelects(connection: DuckDBConnection, query: string): Promise<void> {
  const { StatementType } = await loadDuckDB();
  const statements = await connection.extractStatements(query);
  for (let index = 0; index < statements.count; index += 1) {
    const prepared = await statements.prepare(index);
    const { statementType } = prepared;
    prepared.destroySync();
    if (statementType === StatementType.SELECT) continue;
    throw new ArgumentError(
      `A query in a sandbox is a SELECT, not ${StatementType[statementType].replace("_", " ")}.`,
      {
        hint: "Without sandbox everything is allowed that DuckDB can do.",
        facts: { query },
      },
    );
  }
}

/** What to do about a query that wanted more than a sandbox gives. */
export function sandboxHint(message: string): string | undefined {
  return message.startsWith("Permission Error") ? "In a sandbox a query can open no file of its own." : undefined;
}
