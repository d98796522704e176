import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DuckDBOptions } from "../../src/history/questions/engine/duckdb.js";
import { duckdb, type Engine } from "../../src/index.js";
import { parseManifest } from "../../src/snapshot/format/manifest-text.js";
import { DuckDBEngine } from "../../src/snapshot/questions/duckdb-engine.js";

/** Opens DuckDB over a snapshot's folder as an engine with replaceable members. */
export async function openEngine(path: string, options: DuckDBOptions = {}): Promise<Engine> {
  const place = join(path, "manifest.json");
  const engine = await DuckDBEngine.open(path, parseManifest(readFileSync(place, "utf8"), place), duckdb(options));
  return {
    name: engine.name,
    dialect: engine.dialect,
    keepsOrder: true,
    query: (sql, how) => engine.query(sql, how),
    store: (sql, target, how) => engine.store(sql, target, how),
    close: () => engine.close(),
  };
}
