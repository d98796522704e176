import type { Command } from "commander";
import { rowCounts } from "../../snapshot/format/manifest.js";
import { importNdjson } from "../../snapshot/ndjson/import-ndjson.js";
import { rowCountLines, statusLine } from "../output/terminal.js";

interface ImportCommandOptions {
  readonly skipBad?: boolean;
}

/** `siteframe import`: makes a snapshot of NDJSON files. */
export function addImportCommand(program: Command): void {
  program
    .command("import")
    .description("Make a snapshot of a folder of NDJSON files, one API record a line.")
    .argument("<dir>", "folder with sites.ndjson, layer_features.ndjson and so on")
    .argument("<snapshot>", "snapshot folder to write")
    .option("--skip-bad", "leave bad lines out and report them; otherwise the first ends the import")
    .action(run);
}

async function run(dir: string, snapshot: string, { skipBad = false }: ImportCommandOptions): Promise<void> {
  const status = statusLine(process.stderr);
  const { manifest, skipped } = await importNdjson(dir, snapshot, {
    skipBad,
    onProgress: ({ resource, rows }) => status.update(`${resource}: ${rows.toLocaleString("en-US")}`),
  });
  for (const { place, line, reason } of skipped) status.done(`${place}:${line}: ${reason}`);
  status.done(`Imported into ${snapshot}:\n${rowCountLines(rowCounts(manifest))}`);
  if (skipped.length > 0) status.done(`Left out ${skipped.length} bad ${skipped.length === 1 ? "line" : "lines"}.`);
}
