import { MessageChannel, Worker } from "node:worker_threads";
import { ExitLatch, OutputThrottle } from "./threads/shared-memory.js";
import type { SocketThreadData } from "./threads/thread-messages.js";

/** The thread that owns the sockets, and what it shares with others; `compilerPort` is the compiler's end of its line. */
export interface SocketThread extends SocketThreadData {
  readonly thread: Worker;
}

/** Starts the thread that owns the sockets. What it is to serve it is told later: see `begin` of `FromRunner`. */
export function startSockets(): SocketThread {
  const throttle = OutputThrottle.memory();
  const exitLatch = ExitLatch.memory();
  const { port1, port2 } = new MessageChannel();
  const data: SocketThreadData = { throttle, exitLatch, compilerPort: port2 };
  const thread = new Worker(new URL("./protocol/protocol-main.cjs", import.meta.url), {
    workerData: data,
    transferList: [port2],
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  });
  return { thread, throttle, exitLatch, compilerPort: port1 };
}
