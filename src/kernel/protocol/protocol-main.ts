/** The program of the thread that owns the sockets. */
import { once } from "node:events";
import { createRequire } from "node:module";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { connectCompiler } from "../compiler/connect-compiler.js";
import { ExitGate } from "../threads/exit-gate.js";
import { OutputBrake } from "../threads/output-brake.js";
import type { FromRunner, SocketThreadData, ToRunner } from "../threads/thread-messages.js";
import { readConnection } from "../wire/connection.js";
import { historyFolder } from "./history-folder.js";
import { KernelProtocol } from "./kernel-protocol.js";
import { watchParent } from "./watch-parent.js";

const { brake, exitGate, compilerPort } = workerData as SocketThreadData;

/** What this thread is to serve; it is found while the thread starts. */
async function beginning(port: MessagePort): Promise<Extract<FromRunner, { type: "begin" }>> {
  const [first] = (await once(port, "message")) as [FromRunner];
  if (first.type !== "begin") throw new Error(`The thread of the cells begins with ${first.type}.`);
  return first;
}

/** Cells may hold up an orderly end for ever. */
function exit(): void {
  setTimeout(() => process.kill(process.pid, "SIGKILL"), 1500);
}

async function serve(port: MessagePort): Promise<void> {
  const { version } = createRequire(import.meta.url)("siteframe/package.json") as { readonly version: string };
  const outputBrake = new OutputBrake(brake);
  const { connectionFile, engine } = await beginning(port);
  await KernelProtocol.start({
    connection: readConnection(connectionFile),
    version,
    engine,
    compiler: connectCompiler(compilerPort),
    runnerPort: port,
    historyFolder: historyFolder(),
    onTaken: (length) => outputBrake.taken(length),
    onClosed: () => new ExitGate(exitGate).closed(),
    exit,
  });
  port.postMessage({ type: "listening" } satisfies ToRunner);
  watchParent(() => process.kill(process.pid, "SIGKILL"));
}

if (!parentPort) throw new Error("protocol-main.cjs is the program of a worker.");
serve(parentPort).catch((error: unknown) => {
  // Whatever Node is told to do about promises that nobody awaits, it ends this thread, as the thread of the cells hears.
  setImmediate(() => {
    throw error;
  });
});
