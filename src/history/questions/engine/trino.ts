import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { BodyBuffers } from "../../../client/http/response-body.js";
import { poolTransport } from "../../../client/http/transport.js";
import { systemEffects } from "../../../core/effects.js";
import { ArgumentError, EngineError } from "../../../core/errors.js";
import { showValue } from "../../../core/show-value.js";
import type { Dialect } from "../sql/dialect/dialect.js";
import { trinoDialect } from "../sql/dialect/trino-dialect.js";
import type { Engine, EngineRows } from "./engine.js";
import { resolveTrinoOptions, type TrinoOptions } from "./trino-options.js";
import type { TrinoQueryOptions } from "./trino-query.js";
import { resolveTrinoServer, type TrinoColumn, type TrinoService } from "./trino-server.js";

const INSTANT = /^timestamp(\(\d+\))? with time zone$/;

const UNDO_MS = 30_000;
const POLL_MS = 200;

/**
 * Returns Trino, or a server with the same protocol, as the engine of questions. Declare the tables of the snapshot
 * there once, with `siteframe ddl trino <folder>`. Results are stored as tables: a name, `schema.name` or
 * `catalog.schema.name`.
 *
 * @throws ArgumentError for an invalid address, key or option. No request is sent before the first question
 */
export function trino(options: TrinoOptions): Engine {
  const resolved = resolveTrinoOptions(options);
  const server = resolveTrinoServer(options, resolved);
  const transport = poolTransport(server.origin);
  const life = new AbortController();
  // Every running query adds a listener.
  setMaxListeners(0, life.signal);
  const service: TrinoService = {
    server,
    options: resolved,
    transport,
    bodies: new BodyBuffers(),
    effects: systemEffects,
    life: life.signal,
  };
  return {
    name: server.name,
    dialect: declaredIn(resolved.catalog, resolved.schema),
    query: (sql, { signal } = {}) => trinoQuery(service, sql, { signal }),
    store: (sql, target, { signal } = {}) =>
      storeInTrino(service, typeof sql === "string" ? [sql] : sql, tableName(target), signal),
    async close() {
      life.abort(
        new ArgumentError(`${server.name} was closed.`, { hint: "Open it again: trino({ server, catalog, schema })." }),
      );
      await transport.close();
    },
  };
}

/** Loads the client on the first query. */
async function* trinoQuery(
  service: TrinoService,
  sql: string,
  options: TrinoQueryOptions,
): AsyncGenerator<EngineRows, void> {
  const client = await import("./trino-query.js");
  yield* client.trinoQuery(service, sql, options);
}

/** Whether a result has instants, which not every catalog can store. */
function hasInstants(columns: readonly TrinoColumn[]): boolean {
  return columns.some(({ type }) => INSTANT.test(type));
}

/**
 * The statement with its instants as microseconds since 1970, as in the tables of a snapshot.
 *
 * @param columns columns of its result
 */
function withoutInstants(columns: readonly TrinoColumn[], statement: string): string {
  const list = columns.map(({ name, type }) => {
    const column = trinoDialect.identifier(name);
    return INSTANT.test(type) ? `${microseconds(column)} AS ${column}` : column;
  });
  return `SELECT ${list.join(", ")} FROM (\n${statement}\n) AS instants`;
}

/** Trino has no exact function for this: it combines the seconds of the instant with the digits of its fraction. */
function microseconds(instant: string): string {
  const seconds = `CAST(to_unixtime(date_trunc('second', ${instant})) AS BIGINT)`;
  const rest = `CAST(regexp_extract(CAST(CAST(${instant} AS TIMESTAMP(6) WITH TIME ZONE) AS VARCHAR), '\\.(\\d{6})', 1) AS BIGINT)`;
  return `${seconds} * 1000000 + ${rest}`;
}

/**
 * Writes the results of SELECTs to a new table: the first statement creates it, the others append. If a statement fails
 * or is aborted, no table is left: Trino rolls back the statement, and the finished part is dropped.
 *
 * If the catalog cannot store instants (Hive), they are microseconds since 1970.
 *
 * @param statements each may begin with WITH; all have the same columns
 * @param table quoted name
 */
async function storeInTrino(
  service: TrinoService,
  statements: Iterable<string>,
  table: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  let form: ((statement: string) => string) | undefined;
  try {
    for (const statement of statements) {
      if (form) await insertRows(service, form(statement), table, signal);
      else form = await makeTable(service, statement, table, signal);
    }
  } catch (error) {
    // Before the table was created, a table of that name belongs to another user.
    if (form) await dropTable(service, table, AbortSignal.timeout(UNDO_MS)).catch(() => undefined);
    throw error;
  }
}

/** @returns the form in which the table accepts the remaining statements */
async function makeTable(
  service: TrinoService,
  statement: string,
  table: string,
  signal: AbortSignal | undefined,
): Promise<(statement: string) => string> {
  try {
    await createTable(service, statement, table, signal);
    return (other) => other;
  } catch (error) {
    const columns = isUnsupported(error) ? await columnsOf(service, statement, signal) : [];
    if (!hasInstants(columns)) throw error;
    await createTable(service, withoutInstants(columns, statement), table, signal);
    return (other) => withoutInstants(columns, other);
  }
}

async function createTable(
  service: TrinoService,
  statement: string,
  table: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await runOrUndo(service, `CREATE TABLE ${table} AS\n${statement}`, signal, async (end, undoing) => {
    // If the query did not finish, a table of that name belongs to another user: do not drop it.
    if (end === "FINISHED") await dropTable(service, table, undoing);
  });
}

async function insertRows(
  service: TrinoService,
  statement: string,
  table: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  // The table is dropped with its rows. If it is still being written, files may be left.
  await runOrUndo(service, `INSERT INTO ${table}\n${statement}`, signal, async () => undefined);
}

/** @param undo called when a query that failed here has ended on the server */
async function runOrUndo(
  service: TrinoService,
  sql: string,
  signal: AbortSignal | undefined,
  undo: (end: unknown, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let started: string | undefined;
  const onStart = (queryId: string) => {
    started = queryId;
  };
  try {
    await run(service, sql, { signal, onStart });
  } catch (error) {
    const undoing = AbortSignal.timeout(UNDO_MS);
    const work = async (queryId: string) => undo(await endOf(service, queryId, undoing), undoing);
    if (started !== undefined) await work(started).catch(() => undefined);
    throw error;
  }
}

function isUnsupported(error: unknown): boolean {
  return error instanceof EngineError && error.facts["errorName"] === "NOT_SUPPORTED";
}

async function columnsOf(
  service: TrinoService,
  statement: string,
  signal: AbortSignal | undefined,
): Promise<readonly TrinoColumn[]> {
  let columns: readonly TrinoColumn[] = [];
  const onColumns = (received: readonly TrinoColumn[]) => {
    columns = received;
  };
  await run(service, `SELECT * FROM (\n${statement}\n) AS typed LIMIT 0`, { signal, onColumns });
  return columns;
}

/** The final state of a query; undefined if unknown. */
async function endOf(service: TrinoService, queryId: string, signal: AbortSignal): Promise<unknown> {
  for (;;) {
    const state = await stateOf(service, queryId, signal);
    if (state === undefined || state === "FINISHED" || state === "FAILED") return state;
    await delay(POLL_MS, undefined, { signal });
  }
}

async function dropTable(service: TrinoService, table: string, signal: AbortSignal): Promise<void> {
  await run(service, `DROP TABLE IF EXISTS ${table}`, { signal });
}

async function stateOf(service: TrinoService, queryId: string, signal: AbortSignal): Promise<unknown> {
  const sql = `SELECT state FROM system.runtime.queries WHERE query_id = ${trinoDialect.text(queryId)}`;
  for await (const { columns } of trinoQuery(service, sql, { signal })) return columns[0]?.[0];
  return undefined;
}

async function run(service: TrinoService, sql: string, options: TrinoQueryOptions): Promise<void> {
  for await (const _ of trinoQuery(service, sql, options));
}

/** Names are quoted, so that they can contain anything and cannot end a statement. */
function declaredIn(catalog: string, schema: string): Dialect {
  return { ...trinoDialect, table: (name) => [catalog, schema, name].map(trinoDialect.identifier).join(".") };
}

function tableName(target: string): string {
  const parts = target.split(".");
  if (parts.length <= 3 && parts.every((part) => part !== "")) return parts.map(trinoDialect.identifier).join(".");
  throw new ArgumentError(`Invalid table name ${showValue(target)}.`, {
    hint: "Pass name, schema.name or catalog.schema.name.",
  });
}
