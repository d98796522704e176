import type { RowCounts } from "../../snapshot/format/manifest.js";

/** Row counts as aligned lines for a terminal. */
export function rowCountLines(counts: RowCounts): string {
  const entries = Object.entries(counts).map(([name, rows]) => [name, rows.toLocaleString("en-US")] as const);
  const width = Math.max(0, ...entries.map(([, rows]) => rows.length));
  return entries.map(([name, rows]) => `  ${rows.padStart(width)}  ${name}`).join("\n");
}
