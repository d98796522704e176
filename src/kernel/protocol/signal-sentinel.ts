import { Worker } from "node:worker_threads";

/**
 * A thread that sleeps until SIGINT comes. Node gives signals to the main thread alone, which may be busy; only a
 * script run with `breakOnSigint` is woken in any thread.
 */
const program = `
const { parentPort } = require("node:worker_threads");
const vm = require("node:vm");
const sleep = new vm.Script("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)");
for (;;) {
  try {
    sleep.runInThisContext({ breakOnSigint: true });
  } catch {
    parentPort.postMessage("SIGINT");
  }
}`;

/** Calls back on each SIGINT, also while the main thread is in a loop. */
export function watchForInterruptSignal(onSignal: () => void): void {
  if (process.platform === "win32") return;
  // One is woken; the other keeps Node's handler in place meanwhile, without which a second signal would end the process.
  for (let count = 0; count < 2; count++) {
    const sentinel = new Worker(program, { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 1 } });
    sentinel.on("message", onSignal);
    sentinel.unref();
  }
}
