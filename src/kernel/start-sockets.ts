import { Worker } from "node:worker_threads";
import { ExitLatch, OutputThrottle } from "./threads/shared-memory.js";
import type { SocketThreadData } from "./threads/thread-messages.js";

/** The thread that owns the sockets, and its shared memory. */
export interface SocketThread extends SocketThreadData {
  readonly thread: Worker;
}

/** Starts the thread that owns the sockets. Its settings are sent later: see `begin` of `FromRunner`. */
export function startSockets(): SocketThread {
  const throttle = OutputThrottle.memory();
  const exitLatch = ExitLatch.memory();
  const data: SocketThreadData = { throttle, exitLatch };
  const thread = new Worker(new URL("./protocol/protocol-main.cjs", import.meta.url), {
    workerData: data,
    // The native parser of cells is recursive: cells of the maximum length and depth take half of this stack.
    resourceLimits: { maxYoungGenerationSizeMb: 2, stackSizeMb: 8 },
  });
  return { thread, throttle, exitLatch };
}
