import { existsSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { Command } from "commander";
import { counted } from "../../core/counted.js";
import type { Finding } from "../../core/finding.js";
import { LAKE_NAME } from "../../snapshot/format/manifest.js";
import { makeLake } from "../../snapshot/make-lake.js";
import type { PullReport } from "../../snapshot/pull/pull-options.js";
import { pullProgressText } from "../../snapshot/pull/pull-progress.js";
import { pull } from "../../snapshot/pull.js";
import { connect } from "../../source/connect.js";
import { integerOption } from "../input/parameters.js";
import { printMessage, rowCountLines, statusLine } from "../output/terminal.js";

interface PullCommandOptions {
  readonly baseUrl?: string;
  readonly site?: readonly number[];
  readonly allowShrink?: boolean;
  readonly allowMove?: boolean;
  readonly fullLog?: boolean;
  readonly redact?: boolean;
  readonly rewrite?: boolean;
  readonly strict?: boolean;
  readonly concurrency?: number;
  readonly lake?: boolean;
}

const siteId = integerOption(0, Number.MAX_SAFE_INTEGER);

/** `siteframe pull`: writes or updates a snapshot of the live service. */
export function addPullCommand(program: Command): void {
  program
    .command("pull")
    .description("Write everything that the API key can read into a snapshot folder, or bring the folder up to date.")
    .argument("<snapshot>", "snapshot folder; made if absent")
    .option("--base-url <url>", "address of the service (default: SITEFRAME_BASE_URL; the key is SITEFRAME_API_KEY)")
    .option("--site <id...>", "sites to pull; all if absent", (text: string, before: readonly number[] = []) => [
      ...before,
      siteId(text),
    ])
    .option("--allow-shrink", "accept that sites or more than a tenth of the features no longer come")
    .option("--allow-move", "accept that the service has another address than before")
    .option("--full-log", "ask for the log of every feature, also of those that look untouched")
    .option("--redact", "store pseudonyms instead of person data")
    .option("--rewrite", "replace all that the folder holds if it was pulled with another --redact or key")
    .option("--no-strict", "keep records with times that do not exist and tell of them, instead of stopping")
    .option("--concurrency <n>", "requests under way at once", integerOption(1, 64))
    .option("--lake", "make the folder a DuckLake, as siteframe lake does, if it is none; later pulls keep it so")
    .action(run);
}

async function run(snapshot: string, options: PullCommandOptions): Promise<void> {
  // Where there is much memory V8 lets its heap grow to four times of what is in use before it collects.
  setFlagsFromString("--heap-growing-percent=50");
  const { baseUrl, site, lake, ...rest } = options;
  const status = statusLine(process.stderr);
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort(new Error("interrupted; the next pull goes on where this one stopped")));
  const source = connect(baseUrl === undefined ? {} : { baseUrl });
  const findings: Finding[] = [];
  let requests = 0;
  const onRequest = () => {
    requests += 1;
  };
  try {
    const report = await pull(source, snapshot, {
      ...rest,
      site_id: site,
      signal: stop.signal,
      onRequest,
      onFinding: (finding) => findings.push(finding),
      onProgress: (progress) => status.update(pullProgressText(progress)),
    });
    if (lake && !existsSync(join(snapshot, LAKE_NAME))) await makeLake(snapshot);
    status.done(reportText(snapshot, report, requests));
    for (const { message } of findings) printMessage(message);
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
Layer features: ${counted(added)} new, ${counted(changed)} changed, ${counted(gone)} gone, ${counted(returned)} returned. Log: ${counted(property_changes)} new changes.${rewritten ? "\nRewrote the folder: it holds this generation alone." : ""}`;
}
