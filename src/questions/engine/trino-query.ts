import { childSignal } from "../../client/http/child-signal.js";
import type { EngineRows } from "./engine.js";
import { trinoColumns } from "./trino-columns.js";
import { readTrinoPage, type TrinoColumn, type TrinoPage } from "./trino-page.js";
import { trinoQueryError } from "./trino-query-error.js";
import { askTrino } from "./trino-request.js";
import type { TrinoService } from "./trino-service.js";

/** A cancellation is worth waiting for so long. */
const CANCEL_MS = 10_000;

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
    for (;;) {
      if (page.columns.length > 0) onColumns?.(page.columns);
      if (page.error) throw trinoQueryError(service.server, page.queryId, page.error);
      if (page.rows.length > 0) yield trinoColumns(service.server, page);
      signal.throwIfAborted();
      if (page.next === undefined) return;
      const answer: unknown = await askTrino(service, {
        method: "GET",
        path: page.next,
        queryId: page.queryId,
        signal,
      });
      page = readTrinoPage(service.server, answer);
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    detach();
    await cancel();
  }
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
