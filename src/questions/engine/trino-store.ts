import { setTimeout as delay } from "node:timers/promises";
import { EngineError } from "../../core/errors.js";
import { hasInstants, withoutInstants } from "./trino-instants.js";
import type { TrinoColumn } from "./trino-page.js";
import { type TrinoQueryOptions, trinoQuery } from "./trino-query.js";
import type { TrinoService } from "./trino-service.js";

const UNDO_MS = 30_000;
const POLL_MS = 200;

/**
 * Writes the results of SELECTs to a table that there is not yet. A statement that fails or is aborted leaves no table:
 * Trino takes back what it wrote, and one that it finished in the same moment is dropped.
 *
 * Where the catalog cannot store instants (Hive), they are microseconds since 1970.
 *
 * @param statements of which each may begin with WITH
 * @param table quoted, as it stands in SQL
 */
export async function storeInTrino(
  service: TrinoService,
  statements: readonly string[],
  table: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [first = "", ...others] = statements;
  const parts = statements.map((one, part) => `SELECT * FROM (\n${one}\n) AS part${part}`);
  const whole = others.length === 0 ? first : parts.join("\nUNION ALL ");
  try {
    await createTable(service, whole, table, signal);
  } catch (error) {
    const columns = isUnsupported(error) ? await columnsOf(service, whole, signal) : [];
    if (!hasInstants(columns)) throw error;
    await createTable(service, withoutInstants(columns, whole), table, signal);
  }
}

async function createTable(
  service: TrinoService,
  statement: string,
  table: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  let started: string | undefined;
  const onStart = (queryId: string) => {
    started = queryId;
  };
  try {
    await run(service, `CREATE TABLE ${table} AS\n${statement}`, { signal, onStart });
  } catch (error) {
    if (started !== undefined) await undo(service, started, table, AbortSignal.timeout(UNDO_MS)).catch(() => undefined);
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

/** What the query did not finish is not ours to drop: a table of that name is then somebody else's. */
async function undo(service: TrinoService, queryId: string, table: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const state = await stateOf(service, queryId, signal);
    if (state === "FINISHED") {
      await run(service, `DROP TABLE IF EXISTS ${table}`, { signal });
    }
    if (state === undefined || state === "FINISHED" || state === "FAILED") return;
    await delay(POLL_MS, undefined, { signal });
  }
}

async function stateOf(service: TrinoService, queryId: string, signal: AbortSignal): Promise<unknown> {
  const sql = `SELECT state FROM system.runtime.queries WHERE query_id = '${queryId.replaceAll("'", "''")}'`;
  for await (const { columns } of trinoQuery(service, sql, { signal })) return columns[0]?.[0];
  return undefined;
}

async function run(service: TrinoService, sql: string, options: TrinoQueryOptions): Promise<void> {
  for await (const _ of trinoQuery(service, sql, options));
}
