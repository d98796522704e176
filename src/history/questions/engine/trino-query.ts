import { childSignal } from "../../../client/http/child-signal.js";
import { ProtocolError } from "../../../core/errors.js";
import type { EngineRows } from "./engine.js";
import { trinoColumns } from "./trino-columns.js";
import { readTrinoPage, type TrinoColumn, type TrinoPage } from "./trino-page.js";
import { trinoQueryError } from "./trino-query-error.js";
import { askTrino } from "./trino-request.js";
import type { TrinoServer } from "./trino-server.js";
import type { TrinoService } from "./trino-service.js";

/** A cancellation is worth waiting for so long. */
const CANCEL_MS = 10_000;

/** Trino holds an answer back until there is something to say. What does not is asked less often, from these on. */
const EMPTY_AT_ONCE = 20;
const LONGEST_WAIT_MS = 1000;

/** How one statement is run. */
export interface TrinoQueryOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the query's id. */
  readonly onStart?: (queryId: string) => void;
  /** Called with the columns of its result, as soon as they are known. */
  readonly onColumns?: (columns: readonly TrinoColumn[]) => void;
}

/**
 * Runs one statement and gives its rows as they come. The next rows are fetched when they are asked for, so an engine
 * that is faster than its reader waits. Whoever stops reading, or aborts, cancels the query on the engine.
 *
 * @throws EngineError, ProtocolError, or the signal's reason
 */
export async function* trinoQuery(
  service: TrinoService,
  sql: string,
  { signal: outer, onStart, onColumns }: TrinoQueryOptions,
): AsyncGenerator<EngineRows, void> {
  const { signal, detach } = childSignal(service.life, ...(outer ? [outer] : []));
  let page: TrinoPage | undefined;
  let cancelled: Promise<void> | undefined;
  const cancel = () => {
    if (page?.next !== undefined && page.error === undefined)
      cancelled ??= cancelQuery(service, page.queryId, page.next);
    return cancelled;
  };
  // Also while the reader is busy with rows.
  signal.addEventListener("abort", cancel, { once: true });
  try {
    signal.throwIfAborted();
    page = await startQuery(service, sql, signal);
    onStart?.(page.queryId);
    let columns: readonly TrinoColumn[] | undefined;
    for (let empty = 0; ; ) {
      if (page.columns.length > 0) {
        checkColumns(service.server, page, columns);
        columns = page.columns;
        onColumns?.(columns);
      }
      if (page.error) throw trinoQueryError(service.server, page.queryId, page.error);
      if (page.rows.length > 0) yield trinoColumns(service.server, page);
      signal.throwIfAborted();
      if (page.next === undefined) return;
      empty = page.rows.length > 0 ? 0 : empty + 1;
      if (empty > EMPTY_AT_ONCE) {
        await service.effects.sleep(Math.min(LONGEST_WAIT_MS, 2 ** (empty - EMPTY_AT_ONCE)), signal);
      }
      page = await nextPage(service, page, page.next, signal);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    detach();
    await cancel();
  }
}

/** The page behind another. Rows that come twice, or are another query's, would be wrong without a word. */
async function nextPage(
  service: TrinoService,
  { queryId }: TrinoPage,
  path: string,
  signal: AbortSignal,
): Promise<TrinoPage> {
  const { server } = service;
  const page = readTrinoPage(server, await askTrino(service, { method: "GET", path, queryId, signal }));
  const facts = { engine: server.name, query_id: queryId };
  const hint = "Check what stands between here and Trino's coordinator.";
  if (page.queryId !== queryId) {
    const message = `${server.name} answered with rows of query ${page.queryId} where those of ${queryId} were asked for.`;
    throw server.withoutSecret(new ProtocolError(message, "$.id", { facts, hint }));
  }
  if (page.next === path && page.rows.length > 0) {
    const message = `${server.name} says that rows of query ${queryId} are followed by themselves.`;
    throw new ProtocolError(message, "$.nextUri", { facts, hint });
  }
  return page;
}

/** @throws ProtocolError if a result has other columns than before */
function checkColumns(server: TrinoServer, page: TrinoPage, before: readonly TrinoColumn[] | undefined): void {
  const isSame = (column: TrinoColumn, index: number) =>
    column.name === before?.[index]?.name && column.type === before[index].type;
  if (!before || (before.length === page.columns.length && page.columns.every(isSame))) return;
  const list = (columns: readonly TrinoColumn[]) => columns.map(({ name, type }) => `${name} ${type}`).join(", ");
  const message = `${server.name} began query ${page.queryId} with the columns ${list(before)} and goes on with ${list(page.columns)}.`;
  const facts = { engine: server.name, query_id: page.queryId };
  throw server.withoutSecret(
    new ProtocolError(message, "$.columns", { facts, hint: "Ask again; the engine is not sound." }),
  );
}

async function startQuery(service: TrinoService, sql: string, signal: AbortSignal): Promise<TrinoPage> {
  const { server } = service;
  const path = `${server.prefix}/v1/statement`;
  const answer = await askTrino(service, { method: "POST", path, headers: server.sessionHeaders, body: sql, signal });
  return readTrinoPage(server, answer);
}

/** Best done, never certain: an engine that cannot be reached cancels a query by itself when nobody asks for its rows. */
async function cancelQuery(service: TrinoService, queryId: string, path: string): Promise<void> {
  const signal = AbortSignal.timeout(CANCEL_MS);
  await askTrino(service, { method: "DELETE", path, queryId, retries: 2, signal }).catch(() => undefined);
}
