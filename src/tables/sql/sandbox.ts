import type { DuckDBConnection } from "@duckdb/node-api";
import { ArgumentError } from "../../core/errors.js";
import { nearestName } from "../../core/nearest-name.js";
import { loadDuckDB } from "./load-duckdb.js";
import { sandboxFunctions } from "./sandbox-functions.js";

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
 * Lets a query pass if each of its statements is a `SELECT`, or what DuckDB takes in its place (`FROM`, `VALUES`,
 * `DESCRIBE`, `SUMMARIZE`, `SHOW`), and calls nothing but what is known to do no harm: see `sandboxFunctions`.
 *
 * @throws ArgumentError for every other statement and function; DuckDB's error for a query that is wrong
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

/**
 * Lets a query pass if it calls nothing but `sandboxFunctions` and the macros of the database, and reads none of DuckDB's
 * own tables but the lists of tables and columns. It is looked at as it was parsed, before anything of it is bound or run.
 *
 * @throws ArgumentError with the function's name
 */
export async function checkCalls(connection: DuckDBConnection, query: string): Promise<void> {
  const parsed = await connection.runAndReadAll("SELECT json_serialize_sql($1::VARCHAR)", [query]);
  const tree: unknown = JSON.parse(String(parsed.getRows()[0]?.[0]));
  const { error, error_type: kind } = tree as { readonly error: boolean; readonly error_type?: string };
  // What cannot be read is told in DuckDB's own words, and what is no SELECT by its name.
  if (error) await checkSelects(connection, query);
  if (error && kind !== "parser") {
    throw new ArgumentError("A query in a sandbox is a SELECT, and nothing else.", {
      hint: "Without sandbox everything is allowed that DuckDB can do.",
      facts: { query },
    });
  }
  const { calls, tables } = namesIn(tree);
  const listed = await connection.runAndReadAll(
    "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE NOT internal",
  );
  const own = new Set(listed.getRows().map(([name]) => String(name)));
  for (const name of calls) {
    if (sandboxFunctions.has(name) || own.has(name)) continue;
    const near = nearestName(name, [...own, ...sandboxFunctions]);
    throw new ArgumentError(`A query in a sandbox does not call ${name}().`, {
      hint: near === undefined ? "Without sandbox everything is allowed that DuckDB can do." : `Did you mean ${near}?`,
      facts: { query, function: name },
    });
  }
  for (const name of tables) {
    // DuckDB's and PostgreSQL's own are views over functions, or lists of what a process is.
    if (!/^(duckdb|pragma|pg)_/.test(name) || sandboxFunctions.has(name)) continue;
    throw new ArgumentError(`A query in a sandbox does not read ${name}.`, {
      hint: "SHOW TABLES lists what there is.",
      facts: { query, table: name },
    });
  }
}

/** The functions and tables that a parsed query names, in lower case. */
function namesIn(tree: unknown): { readonly calls: ReadonlySet<string>; readonly tables: ReadonlySet<string> } {
  const [calls, tables] = [new Set<string>(), new Set<string>()];
  const open: unknown[] = [tree];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    const { function_name: call, table_name: table, type } = node as Readonly<Record<string, unknown>>;
    if (typeof call === "string") calls.add(call.toLowerCase());
    if (typeof table === "string" && type === "BASE_TABLE") tables.add(table.toLowerCase());
    for (const value of Object.values(node)) open.push(value);
  }
  return { calls, tables };
}

/** What to do about a query that wanted more than a sandbox gives. */
export function sandboxHint(message: string): string | undefined {
  return message.startsWith("Permission Error") ? "In a sandbox a query can open no file of its own." : undefined;
}
