import { createRequire } from "node:module";
import { ArgumentError } from "../../core/errors.js";

type DuckDB = typeof import("@duckdb/node-api");

/** Rows of DuckDB's vectors, in which it reads and writes. */
export const VECTOR_ROWS = 2048;

/**
 * Loads DuckDB. Its program for the platform is an optional package of 71 MB, which `npm install --omit=optional`
 * leaves out.
 *
 * @throws ArgumentError if it cannot be loaded, saying what to install
 */
export async function loadDuckDB(load: () => Promise<DuckDB> = required): Promise<DuckDB> {
  try {
    return await load();
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`;
    throw new ArgumentError(`DuckDB cannot be loaded: its program for ${platform} is not installed, or does not run.`, {
      cause,
      hint: "Snapshots, SQL and Parquet need it. Install siteframe again with `npm install --include=optional siteframe`.",
      facts: { platform },
    });
  }
}

/** An `import` of CommonJS first searches all of it for names of exports, which takes longer than to run it. */
async function required(): Promise<DuckDB> {
  const require = createRequire(import.meta.url);
  const duckdb = require("@duckdb/node-api") as DuckDB;
  // Its own decoder takes U+FEFF at the beginning of a text for a mark that is not part of it.
  const accessors = require("@duckdb/node-api/lib/vectors/dataAccessors.js") as {
    textDecoder: InstanceType<typeof TextDecoder>;
  };
  accessors.textDecoder = wholeTexts;
  return duckdb;
}

const wholeTexts = new TextDecoder("utf-8", { ignoreBOM: true });
