import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Command, Option } from "commander";
import { type SampleOptions, sampleCompany } from "../../../sample/sample-company.js";
import { REMOVE_FOLDER } from "../../core/busy-files.js";
import { counted } from "../../core/counted.js";
import { ArgumentError } from "../../core/errors.js";
import type { ServedRequest } from "../../service/answers/respond.js";
import { parseFaults } from "../../service/faults/faults.js";
import { parseApiKey } from "../../service/requests/authenticator.js";
import { startService } from "../../service/start-service.js";
import { openNewestStore, type StoreMove } from "../../snapshot/serve/open-newest-store.js";
import { openStore } from "../../snapshot/serve/open-store.js";
import type { SnapshotStore } from "../../snapshot/serve/snapshot-store.js";
import { writeSnapshot } from "../../snapshot/write/write-snapshot.js";
import { integerOption } from "../input/parameters.js";
import { printMessage, printResult, requestLine } from "../output/terminal.js";

interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly apiKey?: readonly string[];
  readonly maxPageSize: number;
  readonly features: number;
  readonly seed: number;
  readonly faults?: string;
  readonly grace: number;
  readonly log: "errors" | "requests";
}

/** API key that the service accepts by default. */
export const defaultApiKey = "demo";

/** Adds `siteframe serve`, which serves a snapshot or the sample company until it is stopped. */
export function addServeCommand(program: Command): void {
  program
    .command("serve")
    .summary("Serve the read API from a snapshot or sample data.")
    .description("Serve the read API from a snapshot or sample data. Without a folder it serves the sample company.")
    .argument("[snapshot]", "snapshot folder. Default: the sample company")
    .option("--port <n>", "port to listen on; 0 for any free port", integerOption(0, 65_535), 8080)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option(
      "--api-key <key...>",
      "key to accept, repeatable; KEY=12,15 limits a key to sites (default: SITEFRAME_API_KEY, else demo)",
    )
    .option("--max-page-size <n>", "largest _pageSize", integerOption(1, 1_000_000), 10_000)
    .option("--features <n>", "layer features of the sample company", integerOption(1000, 1_000_000), 3000)
    .option("--seed <n>", "random seed of the sample company", integerOption(0, Number.MAX_SAFE_INTEGER), 2026)
    .option(
      "--grace <seconds>",
      "how long clients may finish reading answers after the service is stopped",
      integerOption(0, 86_400),
      30,
    )
    .addOption(
      new Option("--log <what>", "requests to log to standard error: failed with 5xx, or all")
        .choices(["errors", "requests"])
        .default("errors"),
    )
    .option("--faults <file>", "JSON file with faults to inject, for tests")
    .action(serve);
}

async function serve(snapshot: string | undefined, options: ServeOptions): Promise<void> {
  const apiKeys = (options.apiKey ?? [process.env["SITEFRAME_API_KEY"] || defaultApiKey]).map(parseApiKey);
  if (new Set(apiKeys.map(({ key }) => key)).size < apiKeys.length) {
    throw new ArgumentError("siteframe serve: --api-key lists a key twice.", {
      hint: "Pass each key once, with all its sites: --api-key KEY=12,15.",
    });
  }
  const faults = options.faults === undefined ? {} : parseFaults(await readFile(options.faults, "utf8"));
  const { store, close } = await openServedStore(snapshot, options, ({ from, to }) => {
    printMessage(`siteframe: generation ${from} of ${snapshot} was removed. Serving generation ${to} now.`);
  });
  const { port, host, maxPageSize, log } = options;
  const keys = apiKeys.map(({ key }) => key);
  const onRequest = (served: ServedRequest) => {
    if (log === "requests" || served.status >= 500) {
      printMessage(`${requestLine(served, keys, new Date())}`);
    }
  };
  try {
    const service = await startService({ store, apiKeys, port, host, maxPageSize, faults, onRequest });
    printResult(`siteframe service listening on ${service.url}`);
    await stopSignal();
    const closed = service.close(options.grace * 1000);
    // A second signal stops the service at once.
    void stopSignal().then(() => service.close(0));
    const cut = await closed;
    if (cut > 0) {
      printMessage(`siteframe: cut off ${counted(cut, "client")} during an answer.`);
      process.exitCode = 1;
    }
  } finally {
    await close();
  }
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGTERM", resolve);
    process.once("SIGINT", resolve);
  });
}

/** A store to serve, with a function that removes temporary files. */
interface ServedStore {
  readonly store: SnapshotStore;
  close(): Promise<void>;
}

/**
 * Opens a snapshot folder, or writes the sample company to a temporary one and opens that.
 *
 * @param onMove is called when the served generation was removed and another one is served
 */
export async function openServedStore(
  snapshot: string | undefined,
  sample: SampleOptions,
  onMove: (move: StoreMove) => void = () => {},
): Promise<ServedStore> {
  if (snapshot !== undefined) {
    const store = await openNewestStore(snapshot, onMove);
    return { store, close: () => store.close() };
  }
  const folder = await mkdtemp(join(tmpdir(), "siteframe-"));
  const path = join(folder, "sample.snapshot");
  const removeFolder = () => rm(folder, REMOVE_FOLDER);
  try {
    await writeSample(path, sample);
    const store = await openStore(path);
    return { store, close: () => store.close().finally(removeFolder) };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

async function writeSample(path: string, options: SampleOptions): Promise<void> {
  const company = sampleCompany(options);
  await writeSnapshot(path, {
    sites: company.sites,
    operations: company.operations,
    blocks: company.blocks,
    datasets: company.datasets,
    layerFeatures: company.layerFeatures(),
    propertyDefinitions: company.propertyDefinitions,
    propertyChanges: company.propertyChanges(),
  });
}
