import type { MessagePort } from "node:worker_threads";
import type { CompiledCell, Outcome } from "../engine/cell/language-engine.js";
import type { CellOutput, CommEvent, FromRunner, ToRunner } from "../threads/thread-messages.js";
import { Interrupter } from "./interrupter.js";

type Question = Extract<FromRunner, { readonly type: "question" }>;

/** What the thread of the cells reports, apart from the ends of runs. */
export interface RunnerEvents {
  output(run: number, output: CellOutput): void;
  question(question: Question): void;
  comm(run: number | undefined, event: CommEvent): void;
  commTarget(name: string): void;
  /** An output or a comm event of the run could not be sent on. */
  unsent(run: number | undefined, error: unknown): void;
  /** The process ends when the sockets are closed. */
  leaving(): void;
}

/** The thread of the cells, as seen from the thread of the sockets. */
export class RunnerClient {
  readonly #port: MessagePort;
  readonly #interrupter: Interrupter;
  readonly #ends = new Map<number, (outcome: Outcome) => void>();
  readonly #handled = new Map<number, () => void>();
  #runs = 0;
  #current: number | undefined;

  constructor(port: MessagePort, events: RunnerEvents) {
    this.#port = port;
    this.#interrupter = new Interrupter((attempt) => this.#post({ type: "interrupt", run: this.#current, attempt }));
    port.on("message", (message: FromRunner) => this.#take(message, events));
  }

  /** A number for the next run, by which its outputs are known. */
  nextRun(): number {
    return ++this.#runs;
  }

  async run(run: number, cell: CompiledCell): Promise<Outcome> {
    await this.#interrupter.done;
    this.#current = run;
    this.#post({ type: "run", run, cell });
    return await new Promise((resolve) => this.#ends.set(run, resolve));
  }

  /** Stops whatever runs, be it a cell or a callback of one that has ended. */
  interrupt(): Promise<void> {
    return this.#interrupter.interrupt();
  }

  /** Resolves when the callbacks of the comm have run. */
  async comm(run: number, event: CommEvent): Promise<void> {
    this.#post({ type: "comm", run, event });
    await new Promise<void>((resolve) => this.#handled.set(run, resolve));
  }

  answer(question: number, text: string): void {
    this.#post({ type: "answer", question, text });
  }

  refuse(question: number): void {
    this.#post({ type: "refusal", question });
  }

  exit(): void {
    this.#interrupter.close();
    this.#post({ type: "exit" });
  }

  #take(message: FromRunner, events: RunnerEvents): void {
    switch (message.type) {
      case "output":
        this.#send(message.run, events, () => events.output(message.run, message.output));
        return;
      case "question":
        events.question(message);
        return;
      case "comm":
        this.#send(message.run, events, () => events.comm(message.run, message.event));
        return;
      case "commTarget":
        events.commTarget(message.name);
        return;
      case "leaving":
        events.leaving();
        return;
      case "interrupted":
        this.#interrupter.heard(message.attempt);
        return;
      case "outcome":
        if (this.#current === message.run) this.#current = undefined;
        this.#ends.get(message.run)?.(message.outcome);
        this.#ends.delete(message.run);
        return;
      case "commHandled":
        this.#handled.get(message.run)?.();
        this.#handled.delete(message.run);
        return;
    }
  }

  #send(run: number | undefined, { unsent }: RunnerEvents, send: () => void): void {
    try {
      send();
    } catch (error) {
      unsent(run, error);
    }
  }

  #post(message: ToRunner): void {
    this.#port.postMessage(message);
  }
}
