/** The program of the process in which the cells of one notebook run. See `CellProcess`. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { SHARE_ENV, Worker } from "node:worker_threads";
import { wellFormedJson } from "../../core/json.js";
import { type Provenance, provenanceChannel, siteChannel } from "../../core/provenance.js";
import { unsentError } from "../../kernel/engine/cell/cell-errors.js";
import { engineName, keepNumbersUnboxed } from "../../kernel/engine/cell/engine-name.js";
import type { PlannedCell } from "../../kernel/engine/cell/language-engine.js";
import { createEngine } from "../../kernel/engine/create-engine.js";
import { installGlobals } from "../../kernel/engine/run/install-globals.js";
import { resolveModule } from "../../kernel/engine/run/resolve-module.js";
import { loadDuckDB } from "../../tables/sql/load-duckdb.js";
import type { CellMessage, ToCellsMessage } from "./cell-messages.js";

/** Modules that Siteframe loads on demand, by the code that needs them, in the order of use. */
const loads: readonly (readonly [RegExp, () => Promise<unknown>])[] = [
  [/\bconnect\b/, () => import("undici")],
  [/\bpull\b|\.sql\(/, loadDuckDB],
  [/\bconnect\b/, () => import("../../client/live-reader.js")],
  [/\bpull\b/, () => import("../../snapshot/pull/pull-folder.js")],
  [/\bopenSnapshot\b/, () => import("../../snapshot/open-folder.js")],
  [/\.layer\(/, () => import("../../source/read-layer.js")],
  [/\.history\(/, () => import("../../source/read-history.js")],
];

/** Interval in which a thread checks whether the parent process is alive. */
const lookEveryMs = 500;

/** On Windows a process keeps the id of a parent that has ended. */
const watchParent = `
const { workerData: { parent, everyMs, folders } } = require("node:worker_threads");
const isAlive = () => {
  try {
    return process.kill(parent, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
};
const timer = setInterval(async () => {
  if (process.ppid === parent && isAlive()) return;
  clearInterval(timer);
  try {
    (await import(folders)).removeFolders(process.pid);
  } finally {
    process.kill(process.pid, "SIGKILL");
  }
}, everyMs);`;

/** Kept here, since a cell could replace them. */
const [{ parse }, sendToParent] = [JSON, process.send?.bind(process)];

/** Messages become part of a file, which is UTF-8. */
function send(message: CellMessage): void {
  sendToParent?.(parse(wellFormedJson(message)));
}

provenanceChannel.subscribe((message) => {
  const { origin, generation, readAt } = message as Provenance;
  const state = generation === undefined ? {} : { generation };
  const { kind, name } = origin;
  send({ type: "source", source: { origin: { kind, name }, ...state, read_at: readAt.toISOString() } });
});

siteChannel.subscribe((name) => send({ type: "site", name: String(name) }));

keepNumbersUnboxed();
process.on("disconnect", () => process.exit());
const engine = await createEngine({ engine: engineName(process.argv[2]), isBrief: true });
const { KernelComms } = await import("../../kernel/cells/kernel-comms.js");
// Messages of cells are ignored without an error, without a page.
installGlobals({ comms: new KernelComms({ send: () => undefined, target: () => undefined }).global });

async function execute({ code, name }: PlannedCell): Promise<void> {
  try {
    const outcome = await engine.execute(code, {
      name,
      sink: {
        paints: true,
        stream: (stream, text) => send({ type: "stream", cell: name, name: stream, text }),
        display: (bundle, target) => send({ type: "display", cell: name, bundle, target }),
        clear: () => send({ type: "clear", cell: name }),
      },
    });
    send({ type: "outcome", outcome });
  } catch (error) {
    send({ type: "outcome", outcome: { status: "error", error: unsentError(error) } });
  }
}

process.on("message", (message: ToCellsMessage) => {
  if (message.type === "execute") {
    void execute(message.cell);
    return;
  }
  const { cells } = message;
  void engine.prepare(cells, () => loadAhead(cells.map(({ code }) => code)));
});

endWithParent();
send({ type: "ready" });

/** Loads modules of Siteframe that the cells will need, in addition to their imports. Errors surface on use. */
async function loadAhead(codes: readonly string[]): Promise<void> {
  if (!isOurs()) return;
  const needed = loads.filter(([words]) => codes.some((code) => words.test(code)));
  await Promise.allSettled(needed.map(([, load]) => load()));
}

/** Whether cells use this copy of Siteframe: the notebook's folder may have another one. */
function isOurs(): boolean {
  try {
    const parent = pathToFileURL(join(process.cwd(), "cell.mjs")).href;
    return resolveModule("siteframe", parent) === resolveModule("siteframe", import.meta.url);
  } catch {
    return false;
  }
}

/**
 * Ends this process if its parent has ended, even while a cell blocks this thread: another thread watches. The output of the
 * process would be lost anyway.
 */
function endWithParent(): void {
  const folders = new URL("../../kernel/engine/typescript/check/stale-folders.js", import.meta.url).href;
  const thread = new Worker(watchParent, {
    eval: true,
    workerData: { parent: process.ppid, everyMs: lookEveryMs, folders },
    env: SHARE_ENV,
    resourceLimits: { maxYoungGenerationSizeMb: 1 },
  });
  thread.unref();
}
