import { once } from "node:events";
import { parseArgs } from "node:util";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { CompilerThreadData } from "./compiler/connect-compiler.js";
import { type EngineName, engineName, keepNumbersUnboxed } from "./engine/cell/engine-name.js";
import { chooseEngine } from "./engine/choose-engine.js";
import { removeFolders, removeStaleFolders } from "./engine/typescript/check/stale-folders.js";
import type { SocketThread } from "./start-sockets.js";
import { ExitLatch, OutputThrottle } from "./threads/shared-memory.js";
import type { FromRunner, ToRunner } from "./threads/thread-messages.js";

/**
 * Starts the kernel. This thread runs the cells; a worker owns the sockets and asks the compiler, so that the kernel answers
 * while a cell is busy. A compiler that is no process of its own has a second worker.
 *
 * @param args the connection file, and `--engine NAME`
 * @param sockets the first worker, which answers whoever waits for the kernel, and so was started before all else
 */
export async function startKernel(args: readonly string[], sockets: SocketThread): Promise<void> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { engine: { type: "string" } },
  });
  const [connectionFile = ""] = positionals;
  const wanted = engineName(values.engine);
  const { thread: socketThread, throttle, exitLatch } = sockets;
  const cellLine = new MessageChannel();
  const socketLine = new MessageChannel();

  const engine = installedEngine(wanted);
  // A compiler that is a process of its own is asked from the thread of the sockets.
  const compilerLine = engine === "typescript" ? cellLine.port1 : socketLine.port2;
  const begin: FromRunner = { type: "begin", connectionFile, engine, compilerLine };
  socketThread.postMessage(begin, [compilerLine]);
  removeStaleFolders();
  socketThread.on("error", (error) => {
    // Nobody is left to say so.
    new ExitLatch(exitLatch).closed();
    fail(error);
  });
  process.on("exit", () => {
    socketThread.postMessage({ type: "leaving" } satisfies FromRunner);
    new ExitLatch(exitLatch).wait();
    removeFolders(process.pid);
  });
  const early: ToRunner[] = [];
  const keep = (message: ToRunner) => early.push(message);
  socketThread.on("message", keep);
  await once(socketThread, "message");

  if (engine !== "typescript") startCompiler(wanted, [socketLine.port1, cellLine.port1]);
  const { CellThread } = await import("./cells/cell-thread.js");
  const { connectCompiler } = await import("./compiler/connect-compiler.js");
  const modules = connectCompiler(cellLine.port2);
  const cells = new CellThread({
    directory: process.cwd(),
    socketThread,
    throttle: new OutputThrottle(throttle),
    modules,
  });
  socketThread.off("message", keep);
  // Only now: with other flags V8 takes nothing from the cache that Node's own modules are read from.
  keepNumbersUnboxed();
  cells.listen(early);
}

function startCompiler(engine: EngineName, ports: readonly MessagePort[]): void {
  const workerData: CompilerThreadData = { directory: process.cwd(), engine, ports };
  const worker = new Worker(new URL("./compiler/compiler-main.js", import.meta.url), {
    workerData,
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
