import type { Command } from "commander";
import { counted } from "../../core/counted.js";
import { exportNdjson } from "../../snapshot/ndjson/export-ndjson.js";
import { rowCountLines, statusLine } from "../output/terminal.js";

/** Adds `siteframe export`, which writes a snapshot as NDJSON files. */
export function addExportCommand(program: Command): void {
  program
    .command("export")
    .summary("Export a snapshot to NDJSON files.")
    .description("Export a snapshot to NDJSON files: one API record per line, exactly as stored.")
    .argument("<snapshot>", "snapshot folder")
    .argument("<dir>", "folder for sites.ndjson, layer_features.ndjson and so on")
    .action(run);
}

async function run(snapshot: string, dir: string): Promise<void> {
  const status = statusLine(process.stderr);
  const counts = await exportNdjson(snapshot, dir, {
    onProgress: ({ resource, rows }) => status.update(`${resource}: ${counted(rows)}`),
  });
  status.done(`Exported to ${dir}:\n${rowCountLines(counts)}`);
}
