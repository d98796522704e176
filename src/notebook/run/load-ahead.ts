import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { resolveModule } from "../../kernel/engine/run/resolve-module.js";
import { loadDuckDB } from "../../tables/sql/load-duckdb.js";

/** What Siteframe loads when it is called, by what is in cells that call it, in the order in which it is needed. */
const loads: readonly (readonly [RegExp, () => Promise<unknown>])[] = [
  [/\bconnect\b/, () => import("undici")],
  [/\bpull\b|\.sql\(/, loadDuckDB],
  [/\bconnect\b/, () => import("../../client/live-reader.js")],
  [/\bpull\b/, () => import("../../snapshot/pull/pull-folder.js")],
  [/\bopenSnapshot\b/, () => import("../../snapshot/open-folder.js")],
  [/\.layer\(/, () => import("../../source/read-layer.js")],
  [/\.history\(/, () => import("../../source/read-history.js")],
];

/** Loads what cells are going to need of Siteframe beside what they import. What fails is told when a cell needs it. */
export async function loadAhead(codes: readonly string[]): Promise<void> {
  if (!isOurs()) return;
  const needed = loads.filter(([words]) => codes.some((code) => words.test(code)));
  await Promise.allSettled(needed.map(([, load]) => load()));
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
