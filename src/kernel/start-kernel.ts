import { once } from "node:events";
import { parseArgs } from "node:util";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { CompilerThreadData } from "./compiler/compiler-calls.js";
import { type EngineName, engineName } from "./engine/cell/engine-name.js";
import { keepNumbersUnboxed } from "./engine/cell/keep-numbers-unboxed.js";
import { chooseEngine } from "./engine/choose-engine.js";
import { removeFolders } from "./engine/typescript/check/stale-folders.js";
import { ExitGate } from "./threads/exit-gate.js";
import { OutputBrake } from "./threads/output-brake.js";
import type { FromRunner, SocketThreadData, ToRunner } from "./threads/thread-messages.js";

/**
 * Starts the kernel. This thread runs the cells; one worker owns the sockets and a second one the TypeScript compiler, so
 * that the kernel answers while a cell is busy.
 *
 * @param args the connection file, and `--engine NAME`
 */
export async function startKernel(args: readonly string[]): Promise<void> {
  keepNumbersUnboxed();
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { engine: { type: "string" } },
  });
  const [connectionFile = ""] = positionals;
  const wanted = engineName(values.engine);
  const brake = OutputBrake.memory();
  const exitGate = ExitGate.memory();
  const socketLine = new MessageChannel();
  const cellLine = new MessageChannel();

  // First and alone, because it answers whoever waits for the kernel: the rest needs much of the machine while it loads.
  const data: SocketThreadData = { connectionFile, brake, exitGate };
  const socketThread = new Worker(new URL("./protocol/protocol-main.js", import.meta.url), {
    workerData: { ...data, compilerPort: socketLine.port2 },
    transferList: [socketLine.port2],
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  });
  const engine = installedEngine(wanted);
  socketThread.postMessage({ type: "engine", engine } satisfies FromRunner);
  const ports = [socketLine.port1, cellLine.port1];
  // A compiler that is a process of its own leaves the machine to the sockets, and starts meanwhile.
  if (engine === "typescript") startCompiler(wanted, ports);
  socketThread.on("error", (error) => {
    // Nobody is left to say so.
    new ExitGate(exitGate).closed();
    fail(error);
  });
  process.on("exit", () => {
    socketThread.postMessage({ type: "leaving" } satisfies FromRunner);
    new ExitGate(exitGate).wait();
    removeFolders(process.pid);
  });
  const early: ToRunner[] = [];
  const keep = (message: ToRunner) => early.push(message);
  socketThread.on("message", keep);
  await once(socketThread, "message");

  if (engine !== "typescript") startCompiler(wanted, ports);
  const { CellThread } = await import("./cells/cell-thread.js");
  const { connectCompiler } = await import("./compiler/connect-compiler.js");
  const modules = connectCompiler(cellLine.port2);
  const cells = new CellThread({ directory: process.cwd(), socketThread, brake: new OutputBrake(brake), modules });
  socketThread.off("message", keep);
  cells.listen(early);
}

function startCompiler(engine: EngineName, ports: readonly MessagePort[]): void {
  const threadData: CompilerThreadData = { directory: process.cwd(), engine };
  const worker = new Worker(new URL("./compiler/compiler-main.js", import.meta.url), {
    workerData: { ...threadData, ports },
    transferList: [...ports],
    // The compiler keeps most of what it makes; more room for what is short-lived would only be memory unused.
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  });
  worker.on("error", fail);
}

function installedEngine(wanted: EngineName): EngineName {
  try {
    return chooseEngine(wanted).engine;
  } catch (error) {
    return fail(error instanceof Error ? error : new Error(String(error)));
  }
}

function fail(error: Error): never {
  const hint = "hint" in error && error.hint !== undefined ? `${String(error.hint)}\n` : "";
  process.stderr.write(`${error.stack ?? error.message}\n${hint}`);
  process.exit(1);
}
