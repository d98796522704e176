import { Worker } from "node:worker_threads";
import { ExitLatch, OutputThrottle } from "./threads/shared-memory.js";
import type { SocketThreadData } from "./threads/thread-messages.js";

/** The thread that owns the sockets, and what it shares with others. */
export interface SocketThread extends SocketThreadData {
  readonly thread: Worker;
}

/** Starts the thread that owns the sockets. What it is to serve it is told later: see `begin` of `FromRunner`. */
export function startSockets(): SocketThread {
  const throttle = OutputThrottle.memory();
  const exitLatch = ExitLatch.memory();
  const data: SocketThreadData = { throttle, exitLatch };
  const thread = new Worker(new URL("./protocol/protocol-main.cjs", import.meta.url), {
    workerData: data,
    // The parser of cells, which is native, calls itself: cells that are as long and as deep as allowed take half of this stack.
    resourceLimits: { maxYoungGenerationSizeMb: 2, stackSizeMb: 8 },
  });
  return { thread, throttle, exitLatch };
}
