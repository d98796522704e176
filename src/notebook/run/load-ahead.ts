import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { loadDuckDB } from "../../columns/sql/load-duckdb.js";
import { resolveModule } from "../../kernel/engine/run/resolve-module.js";

/** Begins to load what Siteframe loads with the first request and the first query, if cells are going to make some. */
export function loadAhead(codes: readonly string[]): void {
  const mentions = (words: RegExp) => codes.some((code) => words.test(code));
  if (!isOurs()) return;
  if (mentions(/\bconnect\b/)) import("undici").catch(() => undefined);
  if (mentions(/\bpull\b|\.sql\(/)) loadDuckDB().catch(() => undefined);
}

/** Whether cells use this Siteframe: beside the notebook may be another one. */
function isOurs(): boolean {
  try {
    const parent = pathToFileURL(join(process.cwd(), "cell.mjs")).href;
    return resolveModule("siteframe", parent) === resolveModule("siteframe", import.meta.url);
  } catch {
    return false;
  }
}
