import { once } from "node:events";
import { parseArgs } from "node:util";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { CompilerThreadData } from "./compiler/connect-compiler.js";
import { type EngineName, engineName, keepNumbersUnboxed } from "./engine/cell/engine-name.js";
import { chooseEngine } from "./engine/choose-engine.js";
import { removeFolders } from "./engine/typescript/check/stale-folders.js";
import type { SocketThread } from "./start-sockets.js";
import { ExitLatch, OutputThrottle } from "./threads/shared-memory.js";
import type { FromRunner, ToRunner } from "./threads/thread-messages.js";

/**
 * Starts the kernel. This thread runs the cells; one worker owns the sockets and a second one the TypeScript compiler, so
 * that the kernel answers while a cell is busy.
 *
 * @param args the connection file, and `--engine NAME`
 * @param sockets the first worker, which answers whoever waits for the kernel, and so was started before all else
 */
export async function startKernel(args: readonly string[], sockets: SocketThread): Promise<void> {
  keepNumbersUnboxed();
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { engine: { type: "string" } },
  });
  const [connectionFile = ""] = positionals;
  const wanted = engineName(values.engine);
  const { thread: socketThread, throttle, exitLatch } = sockets;
  const cellLine = new MessageChannel();

  const engine = installedEngine(wanted);
  socketThread.postMessage({ type: "begin", connectionFile, engine } satisfies FromRunner);
  const ports = [sockets.compilerPort, cellLine.port1];
  // A compiler that is a process of its own leaves the machine to the sockets, and starts meanwhile.
  if (engine === "typescript") startCompiler(wanted, ports);
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

  if (engine !== "typescript") startCompiler(wanted, ports);
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
