import { Session } from "node:inspector";
import type { MessagePort } from "node:worker_threads";
import { interruptedBefore, interruptedError } from "../engine/cell/cell-errors.js";
import type { CompiledCell, Outcome } from "../engine/cell/language-engine.js";
import type { CellOutput, CommEvent, CompletionQuery, FromRunner, ToRunner } from "../threads/thread-messages.js";

/** Time without a reply after which the thread of the cells is considered busy. */
const patienceMs = 20;
/** A termination without confirmation for this time is considered lost. */
const lostAfterMs = 1000;
/** A native call, such as `execSync`, cannot be stopped. */
const giveUpMs = 10_000;

/** A connection to the inspector of the thread of the cells. */
type InspectorSession = Pick<Session, "disconnect"> & {
  post(method: "Runtime.terminateExecution", onDone: () => void): void;
};

/** Requests that the thread of the cells ends the running cell and confirms it. */
type AskToStop = (attempt: number) => void;

/**
 * Stops the code that the thread of the cells runs. If it replies, it ends the cell itself. If not, its execution is
 * terminated through the inspector, which stops any JavaScript. A termination that arrives too late strikes the code
 * that runs next, so the request is repeated until the thread replies with no termination pending.
 */
export class Interrupter {
  readonly #ask: AskToStop;
  readonly #connect: () => InspectorSession;
  readonly #heard = new Set<number>();
  #session: InspectorSession | undefined;
  /** Terminations without confirmation, and when the last one was requested. */
  readonly #pending = new Set<object>();
  #terminatedAt = 0;
  #attempts = 0;
  #isReady = false;
  #running: Promise<void> | undefined;

  constructor(ask: AskToStop, connect: () => InspectorSession = connectToMainThread) {
    this.#ask = ask;
    this.#connect = connect;
  }

  /** Resolves when no stop is in progress. */
  get done(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  /** The thread of the cells has started. A termination before that would prevent its start. */
  ready(): void {
    this.#isReady = true;
  }

  /** The thread of the cells replied. */
  heard(attempt: number): void {
    this.#heard.add(attempt);
  }

  /** Before the process ends, which otherwise waits for connected inspectors. */
  close(): void {
    this.#session?.disconnect();
    this.#session = undefined;
  }

  interrupt(): Promise<void> {
    this.#running ??= this.#stop().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #stop(): Promise<void> {
    const deadline = Date.now() + giveUpMs;
    while (Date.now() < deadline) {
      const answered = await this.#answers();
      const isTerminating = this.#pending.size > 0 && Date.now() - this.#terminatedAt < lostAfterMs;
      if (answered && !isTerminating) break;
      if (!answered && !isTerminating && this.#isReady) this.#terminate();
    }
    this.#heard.clear();
    this.#pending.clear();
  }

  async #answers(): Promise<boolean> {
    const attempt = ++this.#attempts;
    this.#ask(attempt);
    for (const end = Date.now() + patienceMs; Date.now() < end; ) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (this.#heard.has(attempt)) return true;
    }
    return false;
  }

  #terminate(): void {
    const termination = {};
    this.#pending.add(termination);
    this.#terminatedAt = Date.now();
    this.#session ??= this.#connect();
    this.#session.post("Runtime.terminateExecution", () => this.#pending.delete(termination));
  }
}

function connectToMainThread(): Session {
  const session = new Session();
  session.connectToMainThread();
  return session;
}

/** Users who work through a notebook are rarely away for longer between two cells. */
const restAfterMs = 60_000;

/** Timeout for completions while a user types. */
const longestQuestionMs = 100;

/** Runs that were sent and had not ended when the thread of the cells was last asked to stop. */
interface Asked {
  readonly attempt: number;
  readonly runs: readonly number[];
  readonly comms: readonly number[];
}

type Question = Extract<FromRunner, { readonly type: "question" }>;

/** Events of the thread of the cells, apart from the ends of runs. */
export interface RunnerEvents {
  output(run: number, output: CellOutput): void;
  question(question: Question): void;
  comm(run: number | undefined, event: CommEvent): void;
  commTarget(name: string): void;
  /** An output or a comm event of the run could not be sent. */
  unsent(run: number | undefined, error: unknown): void;
  /** Whether the thread has work to do, when that changes. */
  busy(isBusy: boolean): void;
  /** SIGINT came while the thread was idle. See `SignalSentinel`. */
  signal(): void;
  /** The process ends when the sockets are closed. */
  leaving(): void;
}

/** The thread of the cells, as seen from the thread of the sockets. */
export class RunnerClient {
  readonly #port: MessagePort;
  readonly #events: RunnerEvents;
  readonly #interrupter: Interrupter;
  readonly #ends = new Map<number, (outcome: Outcome) => void>();
  readonly #handled = new Map<number, () => void>();
  readonly #named = new Map<number, (names: readonly string[]) => void>();
  readonly #loads = new Map<number, () => void>();
  readonly #loaded = new Set<string>();
  #runs = 0;
  #questions = 0;
  #asked: Asked = { attempt: 0, runs: [], comms: [] };
  #rest: NodeJS.Timeout | undefined;

  constructor(port: MessagePort, events: RunnerEvents) {
    this.#port = port;
    this.#events = events;
    this.#interrupter = new Interrupter((attempt) => this.#askToStop(attempt));
    port.on("message", (message: FromRunner) => this.#take(message, events));
  }

  /** The number of the next run, which identifies its outputs. */
  nextRun(): number {
    return ++this.#runs;
  }

  /** Loads modules that a cell will use. Resolves when the available modules are loaded, or an interrupt arrives. */
  async load(modules: readonly string[]): Promise<void> {
    const missing = modules.filter((module) => !this.#loaded.has(module));
    if (missing.length === 0) return;
    await this.settled;
    const load = ++this.#questions;
    this.#post({ type: "load", load, modules: missing });
    await new Promise<void>((resolve) => this.#loads.set(load, resolve));
    for (const module of missing) this.#loaded.add(module);
  }

  /** Resolves when no stop is in progress: otherwise new work would also be stopped, or lost. */
  get settled(): Promise<void> {
    return this.#interrupter.done;
  }

  /** Runs a cell. See `settled`. */
  async run(run: number, cell: CompiledCell): Promise<Outcome> {
    this.#post({ type: "run", run, cell });
    this.#tellBusy();
    return await new Promise((resolve) => this.#ends.set(run, resolve));
  }

  /** Stops the running code, either a cell or a callback of a cell that has ended. */
  interrupt(): Promise<void> {
    return this.#interrupter.interrupt();
  }

  /** Resolves when the callbacks of the comm have run. */
  async comm(run: number, event: CommEvent): Promise<void> {
    await this.settled;
    this.#post({ type: "comm", run, event });
    this.#tellBusy();
    await new Promise<void>((resolve) => this.#handled.set(run, resolve));
  }

  /** Names in values of the session; empty while a loop keeps the thread from replying in time. */
  async names(query: CompletionQuery): Promise<readonly string[]> {
    const question = ++this.#questions;
    this.#post({ type: "names", question, query });
    const names = await new Promise<readonly string[]>((resolve) => {
      this.#named.set(question, resolve);
      setTimeout(() => resolve([]), longestQuestionMs);
    });
    this.#named.delete(question);
    return names;
  }

  answer(question: number, text: string): void {
    this.#post({ type: "answer", question, text });
  }

  refuse(question: number): void {
    this.#post({ type: "refusal", question });
  }

  /** Makes the thread handle signals again. */
  takeSignals(words: SharedArrayBuffer): void {
    this.#post({ type: "signals", words });
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
      case "signal":
        events.signal();
        return;
      case "leaving":
        events.leaving();
        return;
      case "ready":
        this.#interrupter.ready();
        return;
      case "loaded":
        this.#loads.get(message.load)?.();
        this.#loads.delete(message.load);
        return;
      case "interrupted":
        if (message.attempt === this.#asked.attempt) this.#endUntaken(this.#asked, events);
        this.#interrupter.heard(message.attempt);
        return;
      case "outcome":
        this.#ends.get(message.run)?.(message.outcome);
        this.#ends.delete(message.run);
        this.#tellIfIdle();
        return;
      case "names":
        this.#named.get(message.question)?.(message.names);
        return;
      case "commHandled":
        this.#handled.get(message.run)?.();
        this.#handled.delete(message.run);
        this.#tellIfIdle();
        return;
    }
  }

  #askToStop(attempt: number): void {
    this.#asked = { attempt, runs: [...this.#ends.keys()], comms: [...this.#handled.keys()] };
    this.#post({ type: "interrupt", attempt });
  }

  /**
   * Before it replies, the thread reports the ends of all runs that it received. Runs without a reported end were never
   * received: a termination struck at that moment.
   */
  #endUntaken({ runs, comms }: Asked, events: RunnerEvents): void {
    for (const load of this.#loads.keys()) this.#take({ type: "loaded", load }, events);
    for (const run of runs) {
      if (this.#ends.has(run)) this.#take({ type: "outcome", run, outcome: interruptedBefore }, events);
    }
    for (const run of comms) {
      if (!this.#handled.has(run)) continue;
      const output = { type: "stream", name: "stderr", text: `${interruptedError.traceback.join("\n")}\n` } as const;
      this.#take({ type: "output", run, output }, events);
      this.#take({ type: "commHandled", run }, events);
    }
  }

  #tellBusy(): void {
    clearTimeout(this.#rest);
    this.#events.busy(true);
  }

  #tellIfIdle(): void {
    if (this.#ends.size > 0 || this.#handled.size > 0) return;
    this.#events.busy(false);
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#post({ type: "rest" }), restAfterMs).unref();
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
