import { Worker } from "node:worker_threads";

/**
 * A thread takes as long to start as a short cell runs, and the cells of most notebooks end before it would be ready.
 */
const startAfterMs = 50;

/**
 * A thread that sleeps until SIGINT arrives. Node delivers signals to the main thread only, which may be busy; only a
 * script run with `breakOnSigint` is woken in any thread. Between two such scripts, Node would let the next signal end
 * the process, and so would a second signal at the same moment; code started by Node's own console keeps its handler in
 * place.
 */
const program = `
const { parentPort, workerData } = require("node:worker_threads");
const vm = require("node:vm");
process.noDeprecation = true;
let watchdog;
try {
  watchdog = process.binding("contextify");
} catch {
  // Other versions of Node end with several signals at the same moment.
}
const words = new Int32Array(workerData);
globalThis.sleep = () => Atomics.wait(words, 0, 0);
const sleepOnce = new vm.Script("sleep()");
watchdog?.startSigintWatchdog?.();
while (Atomics.load(words, 0) === 0) {
  try {
    sleepOnce.runInThisContext({ breakOnSigint: true });
  } catch {
    parentPort.postMessage("SIGINT");
  }
}
watchdog?.stopSigintWatchdog?.();
Atomics.store(words, 1, 1);
Atomics.notify(words, 1);`;

/** Receives SIGINT for the thread of the cells while that thread is busy. */
export class SignalSentinel {
  readonly #onSignal: () => void;
  readonly #giveBack: (words: SharedArrayBuffer) => void;
  readonly #leaveAfterMs: number;
  #words: SharedArrayBuffer | undefined;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param onSignal called on each SIGINT
   * @param giveBack makes the thread of the cells handle signals again: see `takeSignals`
   * @param leaveAfterMs delay after the last run, after which that thread receives signals itself
   */
  constructor(onSignal: () => void, giveBack: (words: SharedArrayBuffer) => void, leaveAfterMs = 60_000) {
    this.#onSignal = onSignal;
    this.#giveBack = giveBack;
    this.#leaveAfterMs = leaveAfterMs;
  }

  /** Whether the thread of the cells has work to do. */
  watch(isBusy: boolean): void {
    if (process.platform === "win32") return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (isBusy && !this.#words) this.#timer = setTimeout(() => this.#start(), startAfterMs);
    if (!isBusy && this.#words) this.#timer = setTimeout(() => this.#leave(), this.#leaveAfterMs).unref();
  }

  #start(): void {
    const words = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT);
    this.#words = words;
    const thread = new Worker(program, {
      eval: true,
      workerData: words,
      resourceLimits: { maxYoungGenerationSizeMb: 1 },
    });
    thread.on("message", this.#onSignal);
    thread.unref();
  }

  #leave(): void {
    const words = this.#words;
    this.#words = undefined;
    if (words) this.#giveBack(words);
  }
}
