/** The program of the thread that owns the sockets. */
import { once } from "node:events";
import { createRequire } from "node:module";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { connectCompiler } from "../compiler/connect-compiler.js";
import type { EngineName } from "../engine/cell/engine-name.js";
import { ExitGate } from "../threads/exit-gate.js";
import { OutputBrake } from "../threads/output-brake.js";
import type { FromRunner, SocketThreadData, ToRunner } from "../threads/thread-messages.js";
import { readConnection } from "../wire/connection.js";
import { historyFolder } from "./history-folder.js";
import { KernelProtocol } from "./kernel-protocol.js";
import { watchParent } from "./watch-parent.js";

const { connectionFile, brake, exitGate, compilerPort } = workerData as SocketThreadData & {
  readonly compilerPort: MessagePort;
};
if (!parentPort) throw new Error("protocol-main.js is the program of a worker.");
const { version } = createRequire(import.meta.url)("siteframe/package.json") as { readonly version: string };
const engine = await chosenEngine(parentPort);
const outputBrake = new OutputBrake(brake);

/** It is chosen while this thread starts. */
async function chosenEngine(port: MessagePort): Promise<EngineName> {
  const [first] = (await once(port, "message")) as [FromRunner];
  if (first.type !== "engine") throw new Error(`The thread of the cells begins with ${first.type}.`);
  return first.engine;
}

/** Cells may hold up an orderly end for ever. */
function exit(): void {
  setTimeout(() => process.kill(process.pid, "SIGKILL"), 1500);
}

await KernelProtocol.start({
  connection: readConnection(connectionFile),
  version,
  engine,
  compiler: connectCompiler(compilerPort),
  runnerPort: parentPort,
  historyFolder: historyFolder(),
  onTaken: (length) => outputBrake.taken(length),
  onClosed: () => new ExitGate(exitGate).closed(),
  exit,
});
parentPort.postMessage({ type: "listening" } satisfies ToRunner);

watchParent(() => process.kill(process.pid, "SIGKILL"));
