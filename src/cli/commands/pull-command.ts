import { existsSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { Command } from "commander";
import { counted } from "../../core/counted.js";
import { type Diagnostic, diagnosticText } from "../../core/diagnostic.js";
import { LAKE_NAME } from "../../snapshot/format/manifest.js";
import type { PullReport } from "../../snapshot/pull/pull-options.js";
import { pullProgressText } from "../../snapshot/pull/pull-progress.js";
import { pull } from "../../snapshot/pull.js";
import { writeDuckLake } from "../../snapshot/write-ducklake.js";
import { integerOption } from "../input/parameters.js";
import { baseUrlOption, type GivenSite, idsOf, openSource, siteOption } from "../input/source-option.js";
import { printMessage, rowCountLines, statusLine } from "../output/terminal.js";

interface PullCommandOptions {
  readonly baseUrl?: string;
  readonly site?: readonly GivenSite[];
  readonly allowShrink?: boolean;
  readonly allowMove?: boolean;
  readonly fullLog?: boolean;
  readonly redact?: boolean;
  readonly rewrite?: boolean;
  readonly strict?: boolean;
  readonly concurrency?: number;
  readonly lake?: boolean;
}

/** Adds `siteframe pull`, which writes or updates a snapshot of the live service. */
export function addPullCommand(program: Command): void {
  program
    .command("pull")
    .summary("Write or update a snapshot of the live service.")
    .description("Write or update a snapshot of the live service: everything that the API key can read.")
    .argument("<snapshot>", "snapshot folder; created if missing")
    .addOption(baseUrlOption())
    .addOption(siteOption("sites to pull. Default: the sites of the first pull, or all"))
    .option("--allow-shrink", "accept missing sites, or over a tenth fewer features")
    .option("--allow-move", "accept a service address that differs from the previous pull")
    .option("--full-log", "read the log of every feature, even if it seems unchanged")
    .option("--redact", "store pseudonyms instead of person data")
    .option("--rewrite", "replace all generations if --redact or the pseudonym key has changed")
    .option("--no-strict", "keep and report records with nonexistent times instead of stopping")
    .option("--concurrency <n>", "maximum requests at once", integerOption(1, 64))
    .option("--lake", "write a DuckLake catalog, as siteframe ducklake does; later pulls update it")
    .action(run);
}

async function run(snapshot: string, options: PullCommandOptions): Promise<void> {
  // With much memory, V8 lets its heap grow to four times the used size before it collects.
  setFlagsFromString("--heap-growing-percent=50");
  const { baseUrl, site, lake, ...rest } = options;
  const status = statusLine(process.stderr);
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort(new Error("interrupted; run the same pull again to continue")));
  const source = await openSource({ baseUrl });
  const diagnostics: Diagnostic[] = [];
  let requests = 0;
  const onRequest = () => {
    requests += 1;
  };
  try {
    const report = await pull(source, snapshot, {
      ...rest,
      site_id: site && (await idsOf(source, site)),
      signal: stop.signal,
      onRequest,
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
      onProgress: (progress) => status.update(pullProgressText(progress)),
    });
    if (lake && !existsSync(join(snapshot, LAKE_NAME))) await writeDuckLake(snapshot);
    status.done(reportText(snapshot, report, requests));
    for (const diagnostic of diagnostics) printMessage(diagnosticText(diagnostic));
  } finally {
    await source.close();
  }
}

function reportText(
  snapshot: string,
  { generation, rows, found, rewritten, resumed }: PullReport,
  requests: number,
): string {
  const { added, changed, gone, returned, property_changes } = found;
  return `${resumed ? "Continued and wrote" : "Wrote"} generation ${generation} of ${snapshot} with ${counted(requests)} requests:
${rowCountLines(rows)}
Layer features: ${counted(added)} new, ${counted(changed)} changed, ${counted(gone)} gone, ${counted(returned)} returned. Log: ${counted(property_changes)} new changes.${rewritten ? "\nRewrote the folder: it contains only this generation." : ""}`;
}
