/** The program of the thread that owns the sockets. */
import { createRequire } from "node:module";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { connectCompiler } from "../compiler/connect-compiler.js";
import { ExitGate } from "../threads/exit-gate.js";
import { OutputBrake } from "../threads/output-brake.js";
import type { SocketThreadData, ToRunner } from "../threads/thread-messages.js";
import { readConnection } from "../wire/connection.js";
import { historyFolder } from "./history-folder.js";
import { KernelProtocol } from "./kernel-protocol.js";
import { watchParent } from "./watch-parent.js";

const { connectionFile, engine, brake, exitGate, compilerPort } = workerData as SocketThreadData & {
  readonly compilerPort: MessagePort;
};
if (!parentPort) throw new Error("protocol-main.js is the program of a worker.");
const { version } = createRequire(import.meta.url)("siteframe/package.json") as { readonly version: string };
const outputBrake = new OutputBrake(brake);

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
