import { readSafely } from "../../core/read-safely.js";
import { announceKernel, type CallbackEnd, type CallbackSink } from "../../tables/display/live-kernel.js";
import { interruptedError, NoInputError } from "../engine/cell/cell-errors.js";
import type { CellSink, CompiledCell, Outcome } from "../engine/cell/language-engine.js";
import type { ModuleSource } from "../engine/cell/module-source.js";
import { CellRunner } from "../engine/run/cell-runner.js";
import { installGlobals } from "../engine/run/install-globals.js";
import type { OutputBrake } from "../threads/output-brake.js";
import type { CellOutput, CommEvent, FromRunner, ToRunner } from "../threads/thread-messages.js";
import { collectGarbage } from "./collect-garbage.js";
import { installDebugDesk } from "./install-debug-desk.js";
import { KernelComms } from "./kernel-comms.js";
import { liveNames } from "./live-names.js";
import { LiveTables } from "./live-tables.js";
import { takeSignals } from "./take-signals.js";

interface Waiting {
  readonly resolve: (text: string) => void;
  readonly reject: (error: Error) => void;
}

/** The thread of the sockets, or what stands for it. */
export interface SocketLine {
  on(event: "message", take: (message: ToRunner) => void): unknown;
  postMessage(message: FromRunner): void;
}

/** What the thread of the cells works with. */
export interface CellThreadParts {
  readonly directory: string;
  readonly socketThread: SocketLine;
  readonly brake: OutputBrake;
  readonly modules: ModuleSource;
}

/** Runs cells in this thread, as the thread of the sockets asks for it. */
export class CellThread {
  readonly #runner: CellRunner;
  readonly #socketThread: SocketLine;
  readonly #brake: OutputBrake;
  readonly #comms: KernelComms;
  readonly #questions = new Map<number, Waiting>();
  /** Which run a sink belongs to. */
  readonly #runs = new WeakMap<CellSink, number>();
  /** How the end of each run is told that has not been told. */
  readonly #ends = new Map<number, (outcome: Outcome) => void>();
  #questionCount = 0;

  constructor({ directory, socketThread, brake, modules }: CellThreadParts) {
    this.#runner = new CellRunner(directory, modules);
    this.#socketThread = socketThread;
    this.#brake = brake;
    this.#comms = new KernelComms({
      send: (event) => {
        const sink = this.#runner.currentSink;
        this.#post({ type: "comm", run: sink && this.#runs.get(sink), event });
      },
      target: (name) => this.#post({ type: "commTarget", name }),
    });
    const { global } = this.#comms;
    const tables = new LiveTables();
    tables.listen(global);
    installGlobals({ comms: global });
    installDebugDesk(this.#runner);
    announceKernel({
      comms: global,
      tables,
      callBack: (callback, sink, onEnd) => this.#callBack(callback, sink, onEnd),
    });
  }

  /**
   * @param early what has come already
   */
  listen(early: readonly ToRunner[]): void {
    this.#socketThread.on("message", (message: ToRunner) => this.#take(message));
    for (const message of early) this.#take(message);
    // While no sentinel stands. See `SignalSentinel`.
    process.on("SIGINT", () => this.#runner.interrupt());
  }

  #take(message: ToRunner): void {
    switch (message.type) {
      case "listening":
        return;
      case "run":
        this.#run(message.run, message.cell);
        return;
      case "interrupt":
        this.#interrupt();
        this.#post({ type: "interrupted", attempt: message.attempt });
        return;
      case "answer":
        this.#questions.get(message.question)?.resolve(message.text);
        this.#questions.delete(message.question);
        return;
      case "refusal":
        this.#questions.get(message.question)?.reject(new NoInputError());
        this.#questions.delete(message.question);
        return;
      case "comm":
        this.#receive(message.run, message.event);
        return;
      case "names": {
        const { question, asked } = message;
        this.#post({ type: "names", question, found: readSafely(() => liveNames(this.#runner.names, asked), []) });
        return;
      }
      case "rest":
        collectGarbage();
        return;
      case "signals":
        takeSignals(message.words);
        return;
      case "exit":
        process.exit();
    }
  }

  #run(run: number, cell: CompiledCell): void {
    const end = this.#endOf(run, (outcome) => this.#post({ type: "outcome", run, outcome }));
    this.#runner.start(cell, this.#sink(run), end);
  }

  /** Forgotten when it was told and not before: a termination may strike between the two. See `#interrupt`. */
  #endOf(run: number, tell: (outcome: Outcome) => void): (outcome: Outcome) => void {
    const end = (outcome: Outcome) => {
      tell(outcome);
      this.#ends.delete(run);
    };
    this.#ends.set(run, end);
    return end;
  }

  /** A termination may have struck when a run had ended and before anyone was told. */
  #interrupt(): void {
    this.#runner.interrupt();
    this.#questions.clear();
    for (const end of [...this.#ends.values()]) end({ status: "error", error: interruptedError });
  }

  #receive(run: number, event: CommEvent): void {
    const sink = this.#sink(run);
    const end = this.#endOf(run, (outcome) => {
      if (outcome.status === "error") sink.stream("stderr", `${outcome.error.traceback.join("\n")}\n`);
      this.#post({ type: "commHandled", run });
    });
    this.#runner.callBack(() => this.#comms.receive(event), sink, end);
  }

  /** What the callback sends through comms belongs to whoever called. */
  #callBack(callback: () => unknown, sink: CallbackSink, onEnd: (end: CallbackEnd) => void): void {
    const caller = this.#runner.currentSink;
    const run = caller && this.#runs.get(caller);
    const own: CellSink = {
      stream: (name, text) => sink.stream(name, text),
      display: (bundle) => sink.display(bundle),
      clear: (wait) => sink.clear(wait),
    };
    if (run !== undefined) this.#runs.set(own, run);
    this.#runner.callBack(callback, own, onEnd);
  }

  #sink(run: number): CellSink {
    const show = (output: CellOutput) => this.#post({ type: "output", run, output });
    const sink: CellSink = {
      stream: (name, text) => {
        show({ type: "stream", name, text });
        this.#brake.added(text.length);
      },
      display: (bundle, target) => show({ type: "display", bundle, target }),
      clear: (wait) => show({ type: "clear", wait }),
      page: (bundle) => show({ type: "page", bundle }),
      input: (asked) => {
        const question = ++this.#questionCount;
        this.#post({ type: "question", run, question, asked });
        return new Promise((resolve, reject) => this.#questions.set(question, { resolve, reject }));
      },
    };
    this.#runs.set(sink, run);
    return sink;
  }

  #post(message: FromRunner): void {
    this.#socketThread.postMessage(message);
  }
}
