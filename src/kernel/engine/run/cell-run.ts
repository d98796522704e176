import { promiseHooks } from "node:v8";
import type { Worker } from "node:worker_threads";
import type { CellSink, Outcome } from "../cell/language-engine.js";
import { NameSharing } from "../names/name-sharing.js";
import { OutputQueue } from "./output-queue.js";

/** What becomes of a run. */
interface CellRunEvents {
  /** Called once, when it has ended. */
  onOutcome(outcome: Outcome): void;
  /** Called when one of its outputs cannot be sent. */
  onUnsent(run: CellRun, error: unknown): void;
}

/** One run of a cell. It follows the cell into its callbacks and promises, also after the cell has ended. */
export class CellRun {
  /** The cell's name, which its stack frames bear. */
  readonly name: string;
  readonly sink: CellSink;
  /** The names that it declares. */
  readonly declares: readonly string[];
  readonly sharing: NameSharing;
  readonly output: OutputQueue;
  /** The value of its last expression, once it has come to that. */
  result: unknown;
  /** Whether it has come to its first statement. */
  hasBegun = false;
  readonly #threads = new Set<Worker>();
  readonly #onOutcome: (outcome: Outcome) => void;
  #settled = false;
  #stopped = false;

  /**
   * @param sharing how it shares its names with all cells
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

  /** Once, since whoever remembers the run need not keep the value. */
  takeResult(): unknown {
    const { result } = this;
    this.result = undefined;
    return result;
  }

  /** True if what the cell still does is of no interest. */
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

  /** Takes note of a thread that the cell started. */
  addThread(thread: Worker): void {
    this.#threads.add(thread);
    thread.once("exit", () => this.#threads.delete(thread));
  }

  /** Ends the threads that the cell started, whatever they do. */
  endThreads(): void {
    for (const thread of this.#threads) void thread.terminate();
  }
}

/** A class whose constructor gives back its argument, so that a subclass can put private fields on it. */
const Argument = function argument(object: object): object {
  return object;
} as unknown as new (
  object: object,
) => object;

/** A private field on a promise: neither shown by `inspect` nor held by a map. */
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
 * Knows, in callbacks and promises too, for whom code runs.
 *
 * `AsyncLocalStorage` does the same and more, but its hooks make Node end the process when an execution is terminated
 * in a timer (before Node 24). Callbacks of other kinds than `wrap` and promises know nothing.
 */
export class CellContext<Owner extends object> {
  #current: Owner | undefined;
  readonly #stop: () => void;

  constructor() {
    const stop = promiseHooks.createHook({
      init: (promise) => {
        // V8 tells of some promises twice.
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

  /** For whom a promise was made. */
  ownerOf(promise: object): Owner | undefined {
    return Stamp.read(promise) as Owner | undefined;
  }

  /** Forgets for whom code ran that was terminated. */
  clear(): void {
    this.#current = undefined;
  }

  close(): void {
    this.#stop();
  }
}
