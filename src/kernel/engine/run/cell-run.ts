import { setMaxListeners } from "node:events";
import { promiseHooks } from "node:v8";
import type { Worker } from "node:worker_threads";
import { interruptedError } from "../cell/cell-errors.js";
import type { CellSink, Outcome } from "../cell/language-engine.js";
import { NameSharing } from "../names/name-sharing.js";
import { OutputQueue } from "./output-queue.js";

/** Callbacks of a run. */
interface CellRunEvents {
  /** Called once, when the run has ended. */
  onOutcome(outcome: Outcome): void;
  /** Called if an output of the run cannot be sent. */
  onUnsent(run: CellRun, error: unknown): void;
}

/** One run of a cell. Its context follows the cell into callbacks and promises, including after the cell has ended. */
export class CellRun {
  /** The cell's name in stack frames. */
  readonly name: string;
  readonly sink: CellSink;
  /** The names that the cell declares. */
  readonly declares: readonly string[];
  readonly sharing: NameSharing;
  readonly output: OutputQueue;
  /** The value of the cell's last expression, once evaluated. */
  result: unknown;
  /** Whether the cell's first statement has started. */
  hasBegun = false;
  readonly #threads = new Set<Worker>();
  readonly #onOutcome: (outcome: Outcome) => void;
  #settled = false;
  #stopped = false;
  #controller: AbortController | undefined;

  /**
   * @param sharing how the cell shares its names with all cells
   * @param declares see `declares`
   */
  constructor(
    name: string,
    sink: CellSink,
    { onOutcome, onUnsent }: CellRunEvents,
    sharing = new NameSharing({}),
    declares: readonly string[] = [],
  ) {
    this.name = name;
    this.sink = sink;
    this.declares = declares;
    this.sharing = sharing;
    this.output = new OutputQueue(sink, (error) => onUnsent(this, error));
    this.#onOutcome = onOutcome;
  }

  get settled(): boolean {
    return this.#settled;
  }

  /** Taken once, so that objects which keep the run do not keep the value. */
  takeResult(): unknown {
    const { result } = this;
    this.result = undefined;
    return result;
  }

  /** True if later activity of the cell is ignored. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** Ends the run. Only the first end counts. */
  settle(outcome: Outcome): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#onOutcome(outcome);
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Aborted by an interrupt. Made on first use. */
  get signal(): AbortSignal {
    return this.#abortController().signal;
  }

  /** Aborts the signal, also if the cell reads it later. */
  abort(): void {
    this.#abortController().abort(new DOMException(interruptedError.evalue, interruptedError.ename));
  }

  #abortController(): AbortController {
    if (!this.#controller) {
      this.#controller = new AbortController();
      // Every request and query of a cell listens; Node would warn from the eleventh on.
      setMaxListeners(0, this.#controller.signal);
    }
    return this.#controller;
  }

  /** Registers a thread that the cell started. */
  addThread(thread: Worker): void {
    this.#threads.add(thread);
    thread.once("exit", () => this.#threads.delete(thread));
  }

  /** Ends the threads that the cell started. */
  endThreads(): void {
    for (const thread of this.#threads) void thread.terminate();
  }
}

/** A class whose constructor returns its argument, so that a subclass can put private fields on it. */
const Argument = function argument(object: object): object {
  return object;
} as unknown as new (
  object: object,
) => object;

/** A private field on a promise: hidden from `inspect`, and no map holds the promise. */
class Stamp extends Argument {
  #owner: object;

  constructor(promise: object, owner: object) {
    super(promise);
    this.#owner = owner;
  }

  static read(promise: object): object | undefined {
    return #owner in promise ? promise.#owner : undefined;
  }
}

/**
 * Tracks the run that code belongs to, including in callbacks and promises.
 *
 * `AsyncLocalStorage` does the same and more, but its hooks make Node end the process if an execution is terminated in
 * a timer (before Node 24). Only promises and callbacks passed to `wrap` are tracked.
 */
export class CellContext<Owner extends object> {
  #current: Owner | undefined;
  readonly #stop: () => void;

  constructor() {
    const stop = promiseHooks.createHook({
      init: (promise) => {
        // V8 reports some promises twice.
        if (this.#current && Stamp.read(promise) === undefined) new Stamp(promise, this.#current);
      },
      before: (promise) => {
        this.#current = this.ownerOf(promise);
      },
      after: () => {
        this.#current = undefined;
      },
    });
    this.#stop = () => stop();
  }

  get current(): Owner | undefined {
    return this.#current;
  }

  run<Result>(owner: Owner | undefined, code: () => Result): Result {
    const before = this.#current;
    this.#current = owner;
    try {
      return code();
    } finally {
      this.#current = before;
    }
  }

  /** The run that created a promise. */
  ownerOf(promise: object): Owner | undefined {
    return Stamp.read(promise) as Owner | undefined;
  }

  /** Forgets the run of terminated code. */
  clear(): void {
    this.#current = undefined;
  }

  close(): void {
    this.#stop();
  }
}
