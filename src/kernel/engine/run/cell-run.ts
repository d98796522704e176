import type { Worker } from "node:worker_threads";
import type { CellSink, Outcome } from "../cell/language-engine.js";
import { NameSharing } from "../names/name-sharing.js";
import { OutputQueue } from "./output-queue.js";

/** What becomes of a run. */
export interface CellRunEvents {
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
