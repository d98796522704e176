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
 * Trino, and what speaks its protocol, as the engine that answers questions: on one machine or on many. The tables of a
 * snapshot have to be declared there once: `siteframe ddl trino <folder>`.
 *
 * What it stores are tables: a name, `schema.name` or `catalog.schema.name`.
 *
 * @throws ArgumentError if the address, the key or an option cannot be used. Nothing is sent before the first question
 */
export function trino(options: TrinoOptions): Engine {
  const resolved = resolveTrinoOptions(options);
  const server = resolveTrinoServer(options, resolved);
  const transport = poolTransport(server.origin);
  const life = new AbortController();
  // Every query under way listens.
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
      life.abort(new ArgumentError(`${server.name} was closed.`, { hint: "Open it again with trino()." }));
      await transport.close();
    },
  };
}

/** Loads the client with the first query. */
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
 * The statement with its instants as microseconds since 1970, as the tables of a snapshot have them.
 *
 * @param columns of its result
 */
function withoutInstants(columns: readonly TrinoColumn[], statement: string): string {
  const list = columns.map(({ name, type }) => {
    const column = trinoDialect.identifier(name);
    return INSTANT.test(type) ? `${microseconds(column)} AS ${column}` : column;
  });
  return `SELECT ${list.join(", ")} FROM (\n${statement}\n) AS instants`;
}

/** Trino has no function for it that is exact: seconds from its clock, the rest from its digits. */
function microseconds(instant: string): string {
  const seconds = `CAST(to_unixtime(date_trunc('second', ${instant})) AS BIGINT)`;
  const rest = `CAST(regexp_extract(CAST(CAST(${instant} AS TIMESTAMP(6) WITH TIME ZONE) AS VARCHAR), '\\.(\\d{6})', 1) AS BIGINT)`;
  return `${seconds} * 1000000 + ${rest}`;
}

/**
 * Writes the results of SELECTs to a table that there is not yet, one after the other: the first makes it, and it grows
 * with each of the others. A statement that fails or is aborted leaves no table: Trino takes back what it wrote, and what
 * was finished is dropped.
 *
 * Where the catalog cannot store instants (Hive), they are microseconds since 1970.
 *
 * @param statements of which each may begin with WITH; they have the same columns
 * @param table quoted, as it stands in SQL
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
    // Before it was made, a table of that name is somebody else's.
    if (form) await dropTable(service, table, AbortSignal.timeout(UNDO_MS)).catch(() => undefined);
    throw error;
  }
}

/** @returns the form in which the table takes the statements behind the first */
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
    // What the query did not finish is not ours to drop: a table of that name is then somebody else's.
    if (end === "FINISHED") await dropTable(service, table, undoing);
  });
}

async function insertRows(
  service: TrinoService,
  statement: string,
  table: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  // The table is dropped with the rows that it has; while it is still written to, that may leave files.
  await runOrUndo(service, `INSERT INTO ${table}\n${statement}`, signal, async () => undefined);
}

/** @param undo is called when a query that failed here has come to its end there */
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
  const onColumns = (found: readonly TrinoColumn[]) => {
    columns = found;
  };
  await run(service, `SELECT * FROM (\n${statement}\n) AS typed LIMIT 0`, { signal, onColumns });
  return columns;
}

/** The state in which a query ends; undefined where nobody knows. */
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

/** Names are quoted, so that they can hold anything and end no statement. */
function declaredIn(catalog: string, schema: string): Dialect {
  return { ...trinoDialect, table: (name) => [catalog, schema, name].map(trinoDialect.identifier).join(".") };
}

function tableName(target: string): string {
  const parts = target.split(".");
  if (parts.length <= 3 && parts.every((part) => part !== "")) return parts.map(trinoDialect.identifier).join(".");
  throw new ArgumentError(`${showValue(target)} is not the name of a table.`, {
    hint: "Pass name, schema.name or catalog.schema.name.",
  });
}
