import type { Command } from "commander";
import { counted } from "../../core/counted.js";
import { exportNdjson } from "../../snapshot/ndjson/export-ndjson.js";
import { rowCountLines, statusLine } from "../output/terminal.js";

/** `siteframe export`: writes a snapshot as NDJSON files. */
export function addExportCommand(program: Command): void {
  program
    .command("export")
    .description("Write a snapshot as NDJSON files, one API record a line, exactly as the records were stored.")
    .argument("<snapshot>", "snapshot folder")
    .argument("<dir>", "folder to write sites.ndjson, layer_features.ndjson and so on into")
    .action(run);
}

async function run(snapshot: string, dir: string): Promise<void> {
  const status = statusLine(process.stderr);
  const counts = await exportNdjson(snapshot, dir, {
    onProgress: ({ resource, rows }) => status.update(`${resource}: ${counted(rows)}`),
  });
  status.done(`Exported to ${dir}:\n${rowCountLines(counts)}`);
}
