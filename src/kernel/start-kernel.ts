import { once } from "node:events";
import { parseArgs } from "node:util";
import { MessageChannel } from "node:worker_threads";
import { type EngineName, engineName, keepNumbersUnboxed } from "./engine/cell/engine-name.js";
import { chooseEngine } from "./engine/choose-engine.js";
import { removeFolders, removeStaleFolders } from "./engine/typescript/check/stale-folders.js";
import type { SocketThread } from "./start-sockets.js";
import { ExitLatch, OutputThrottle } from "./threads/shared-memory.js";
import type { FromRunner, ToRunner } from "./threads/thread-messages.js";

/**
 * Starts the kernel. This thread runs the cells; a worker owns the sockets and calls the compiler, so that the kernel
 * replies while a cell is busy. An in-process compiler also has a worker.
 *
 * @param args the connection file, and `--engine NAME`
 * @param sockets the first worker, which answers clients that wait for the kernel, and is therefore started first
 */
export async function startKernel(args: readonly string[], sockets: SocketThread): Promise<void> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { engine: { type: "string" } },
  });
  const [connectionFile = ""] = positionals;
  const requested = engineName(values.engine);
  const { thread: socketThread, throttle, exitLatch } = sockets;
  const cellLine = new MessageChannel();

  const engine = installedEngine(requested);
  const compilerLine = cellLine.port1;
  const begin: FromRunner = { type: "begin", connectionFile, requested, engine, compilerLine };
  socketThread.postMessage(begin, [compilerLine]);
  removeStaleFolders();
  socketThread.on("error", (error) => {
    // No client is left to notify.
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
  // Set late: with other flags V8 could not use the code cache of Node's own modules.
  keepNumbersUnboxed();
  cells.listen(early);
}

function installedEngine(requested: EngineName): EngineName {
  try {
    return chooseEngine(requested).engine;
  } catch (error) {
    return fail(error instanceof Error ? error : new Error(String(error)));
  }
}

function fail(error: Error): never {
  const hint = "hint" in error && error.hint !== undefined ? `${String(error.hint)}\n` : "";
  process.stderr.write(`${error.stack ?? error.message}\n${hint}`);
  process.exit(1);
}
