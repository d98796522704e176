import { createRequire } from "node:module";
import type { DuckDBConnection } from "@duckdb/node-api";
import { DependencyError } from "../../core/errors.js";

type DuckDB = typeof import("@duckdb/node-api");

/** Number of rows in DuckDB's vectors, the units of reading and writing. */
export const VECTOR_ROWS = 2048;

/**
 * Loads DuckDB. Its binary for the platform is an optional package of 71 MB, which `npm install --omit=optional` leaves
 * out.
 *
 * @throws DependencyError if it cannot be loaded, with the package to install
 */
export async function loadDuckDB(load: () => Promise<DuckDB> = required): Promise<DuckDB> {
  try {
    return await load();
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`;
    throw new DependencyError(`DuckDB cannot be loaded: its binary for ${platform} is not installed or does not run.`, {
      cause,
      hint: "Install it for snapshots, SQL and Parquet: `npm install --include=optional siteframe`.",
      facts: { platform },
    });
  }
}

/** An `import` of CommonJS first searches all of it for names of exports, which takes longer than running it. */
async function required(): Promise<DuckDB> {
  const require = createRequire(import.meta.url);
  const duckdb = require("@duckdb/node-api") as DuckDB;
  // Its own decoder removes U+FEFF at the beginning of a string as a byte order mark.
  const accessors = require("@duckdb/node-api/lib/vectors/dataAccessors.js") as {
    textDecoder: InstanceType<typeof TextDecoder>;
  };
  accessors.textDecoder = wholeTexts;
  return duckdb;
}

const wholeTexts = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Interval between interrupts. A statement that waits for a thread ignores interrupts, so they are repeated until it
 * ends.
 */
const AGAIN_MS = 20;

/**
 * Interrupts the current and later statements of a connection after a signal is aborted, until the returned object is
 * disposed of.
 */
export function interruptOn(connection: DuckDBConnection, signal: AbortSignal | undefined): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    timer = setTimeout(interrupt, AGAIN_MS);
  };
  // An aborted signal does not call listeners.
  if (signal?.aborted) interrupt();
  signal?.addEventListener("abort", interrupt, { once: true });
  return {
    [Symbol.dispose]() {
      signal?.removeEventListener("abort", interrupt);
      clearTimeout(timer);
    },
  };
}
