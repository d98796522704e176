import type { DuckDBConnection } from "@duckdb/node-api";

/** A statement that waits for a thread is not interrupted before it runs: it is tried until the work has ended. */
const AGAIN_MS = 20;

/**
 * Interrupts what a connection does, and what it does next, once a signal is aborted; until the returned object is
 * disposed of.
 */
export function interruptOn(connection: DuckDBConnection, signal: AbortSignal | undefined): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    timer = setTimeout(interrupt, AGAIN_MS);
  };
  // One that was aborted before tells nobody.
  if (signal?.aborted) interrupt();
  signal?.addEventListener("abort", interrupt, { once: true });
  return {
    [Symbol.dispose]() {
      signal?.removeEventListener("abort", interrupt);
      clearTimeout(timer);
    },
  };
}
