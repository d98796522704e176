import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ArgumentError } from "../../core/errors.js";
import { nameHint } from "../../core/nearest-name.js";
import type { RemoteCompiler } from "../compiler/connect-compiler.js";
import { colouredTraceback, interruptedBefore, kernelError, unsentError } from "../engine/cell/cell-errors.js";
import type { Compilation, CompiledCell, Outcome } from "../engine/cell/language-engine.js";
import { ownModules } from "../engine/cell/preloaded-names.js";
import type { Content, Header, Message } from "../wire/message.js";
import type { HistoryStore } from "./history-store.js";
import type { Publisher } from "./publisher.js";
import type { RunnerClient } from "./runner-client.js";
import { type ExecuteRequest, type Running, type Runs, readExecuteRequest } from "./runs.js";

/** How long after a failure cells may come that were sent before it, in milliseconds. */
const LATE_MS = 10_000;

/** The longest time between two requests of a page that runs several cells at once, in milliseconds. */
const BATCH_MS = 250;

/** What the executor works with. */
export interface ExecutorParts {
  readonly compiler: Pick<RemoteCompiler, "compile" | "retract" | "warnings">;
  readonly runner: Pick<RunnerClient, "nextRun" | "load" | "settled" | "run" | "interrupt">;
  readonly publisher: Publisher;
  readonly history: HistoryStore;
  /** Of all executors of the kernel. */
  readonly runs: Runs;
  /** Called before a cell runs. */
  prepare(cell: CompiledCell): Promise<void>;
  reply(request: Message, content: Content): void;
}

/** Executes cells one after the other and publishes what they show. */
export class Executor {
  readonly #parts: ExecutorParts;
  readonly #queue: Message[] = [];
  #current: Running | undefined;
  #interrupted = false;
  #warned = false;
  readonly #sentTimes = new SentTimes();
  /** When the last cell failed after which none is to run, in milliseconds. */
  #failedAt = Number.NEGATIVE_INFINITY;
  #batch: Batch | undefined;

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
  }

  /** The request that is being executed. */
  get current(): Message | undefined {
    return this.#current?.message;
  }

  add(message: Message): void {
    const now = Date.now();
    // Of cells that were sent together some may come after one of them has failed.
    const sentAt = this.#sentTimes.of(message.header, now);
    this.#batch = this.#batchWith(message, sentAt);
    if (this.#batch?.failed || (sentAt < this.#failedAt && now - this.#failedAt < LATE_MS)) {
      this.#abort(message);
      return;
    }
    this.#queue.push(message);
    if (this.#queue.length === 1) void this.#work();
  }

  /** The batch to which a request belongs that a page has just sent. */
  #batchWith({ header: { session }, metadata }: Message, sentAt: number): Batch | undefined {
    // A program can reply to a failure at once. A page, which sends the id of the cell, has a person in front of it.
    if (metadata["cellId"] === undefined) return undefined;
    const before = this.#batch?.session === session && sentAt - this.#batch.sentAt < BATCH_MS ? this.#batch : undefined;
    const isWaiting = this.#queue.some(({ header }) => header.session === session);
    return before || isWaiting ? { session, sentAt, failed: before?.failed ?? false } : undefined;
  }

  /** Aborts what has not begun. */
  abort(): void {
    this.#abortQueue(this.#current ? 1 : 0);
  }

  async interrupt(): Promise<void> {
    this.#interrupted = true;
    await this.#parts.runner.interrupt();
  }

  async #work(): Promise<void> {
    for (let message = this.#queue[0]; message; message = this.#queue[0]) {
      const request = readExecuteRequest(message.content);
      const status = await this.#execute(message, request).catch((error: unknown) => this.#giveUp(message, error));
      this.#queue.shift();
      if (status === "error" && request.stopOnError) this.#abortQueue();
    }
  }

  async #execute(message: Message, request: ExecuteRequest): Promise<Outcome["status"]> {
    const { publisher, runner, reply, history, runs } = this.#parts;
    const parent = message.header;
    const run = runner.nextRun();
    this.#interrupted = false;
    const running = runs.begin(run, message, request);
    this.#current = running;
    const { name, execution_count } = runs.number(request.storeHistory);
    const compilation = this.#compile(request.code, name);
    // Those are ours, and load while the compiler reads what they declare.
    const loading = runner.load(ownModules(request.code));
    // By then the compiler has its question, and this thread tells meanwhile that the cell has begun.
    await nextTurn();
    publisher.status("busy", parent);
    if (!request.silent) publisher.publish("execute_input", { code: request.code, execution_count }, parent);

    if (!request.silent) await this.#warn(parent);
    const outcome = this.#showResult(running, await this.#outcome(run, compilation, loading), execution_count);
    if (request.storeHistory) history.add(execution_count, request.code, resultText(outcome));
    const { payload } = running;
    if (outcome.status === "error") {
      if (request.stopOnError) {
        this.#failedAt = Date.now();
        if (this.#batch?.session === parent.session) this.#batch.failed = true;
      }
      const { ename, evalue } = outcome.error;
      const traceback = colouredTraceback(outcome.error);
      if (!request.silent) publisher.publish("error", { ename, evalue, traceback }, parent);
      reply(message, { status: "error", execution_count, ename, evalue, traceback, payload, user_expressions: {} });
    } else {
      const user_expressions = await this.#evaluate(request.userExpressions);
      reply(message, { status: "ok", execution_count, payload, user_expressions });
    }
    this.#end(running);
    publisher.status("idle", parent);
    return outcome.status;
  }

  /** Above the output of the first cell that anyone sees. */
  async #warn(parent: Message["header"]): Promise<void> {
    if (this.#warned) return;
    this.#warned = true;
    for (const warning of await this.#parts.compiler.warnings()) {
      this.#parts.publisher.stream("stderr", `${warning}\n`, parent);
    }
  }

  /** Tells why there is no other reply. */
  #giveUp(message: Message, error: unknown): Outcome["status"] {
    const { publisher, reply } = this.#parts;
    const failure = { ...unsentError(error) };
    publisher.publish("error", failure, message.header);
    const more = { execution_count: this.#parts.runs.count, payload: [], user_expressions: {} };
    reply(message, { status: "error", ...failure, ...more });
    if (this.#current) this.#end(this.#current);
    publisher.status("idle", message.header);
    return "error";
  }

  #end(running: Running): void {
    running.isOver = true;
    this.#current = undefined;
  }

  /** How the cell ended, when its result was shown as well. */
  #showResult({ message, request, failure }: Running, outcome: Outcome, execution_count: number): Outcome {
    if (outcome.status === "error") return outcome;
    if (failure) return { status: "error", error: failure };
    if (!outcome.result || request.silent) return outcome;
    const content = { execution_count, data: outcome.result, metadata: {} };
    try {
      this.#parts.publisher.publish("execute_result", content, message.header);
      return outcome;
    } catch (error) {
      return { status: "error", error: unsentError(error) };
    }
  }

  #compile(code: string, name: string, options?: { readonly keep: boolean }): Promise<Compilation> {
    const compilation = this.#parts.compiler.compile(code, name, options);
    // Whoever waits for the outcome is told.
    compilation.catch(() => undefined);
    return compilation;
  }

  async #outcome(run: number, compiling: Promise<Compilation>, loading?: Promise<void>): Promise<Outcome> {
    const { compiler } = this.#parts;
    try {
      const compilation = await compiling;
      if (compilation.status === "error") return compilation;
      const outcome = await this.#run(run, compilation.cell, loading);
      // Later cells would take its names for declared.
      if (outcome.status === "error" && outcome.hasRun === false) await compiler.retract(compilation.cell.name);
      return outcome;
    } catch (error) {
      return { status: "error", error: kernelError(error) };
    }
  }

  async #run(run: number, cell: CompiledCell, loading?: Promise<void>): Promise<Outcome> {
    const { runner, prepare } = this.#parts;
    await loading;
    await prepare(cell);
    await runner.settled;
    return this.#interrupted ? interruptedBefore : runner.run(run, cell);
  }

  async #evaluate(expressions: ExecuteRequest["userExpressions"]): Promise<Content> {
    const results: Record<string, unknown> = {};
    for (const [name, expression] of Object.entries(expressions)) {
      const run = this.#parts.runner.nextRun();
      const compilation = this.#compile(`(${expression}\n)`, `Expression ${name}`, { keep: false });
      const outcome = await this.#outcome(run, compilation);
      results[name] =
        outcome.status === "ok"
          ? { status: "ok", data: outcome.result ?? { "text/plain": "undefined" }, metadata: {} }
          : { status: "error", ...outcome.error };
    }
    return results;
  }

  #abortQueue(from = 0): void {
    for (const message of this.#queue.splice(from)) this.#abort(message);
  }

  /** As ipykernel replies: where a count comes back, pages show it as that of a cell that ran. */
  #abort(message: Message): void {
    const { publisher, reply } = this.#parts;
    publisher.status("busy", message.header);
    reply(message, { status: "aborted" });
    publisher.status("idle", message.header);
  }
}

/**
 * Requests that a page sends without waiting for replies, as "Run All Cells" does. A slow page may send the last of them after
 * one of the first has failed: they are aborted like the requests in the queue.
 */
interface Batch {
  readonly session: string;
  /** When the last of them was sent, in milliseconds. */
  readonly sentAt: number;
  failed: boolean;
}

/**
 * When the messages of a client were sent, by the kernel's clock. The clocks of both may differ, and messages take time: of all
 * messages of a session the one that took the least tells by how much. What is told is never earlier than it was.
 */
class SentTimes {
  #session: string | undefined;
  /** By how much later the clock here is than what the header says, in milliseconds. */
  #offset = Number.POSITIVE_INFINITY;

  /** @param now when the message came, in milliseconds */
  of({ session, date }: Pick<Header, "session" | "date">, now: number): number {
    if (session !== this.#session) {
      this.#session = session;
      this.#offset = Number.POSITIVE_INFINITY;
    }
    const sent = Date.parse(date);
    if (Number.isNaN(sent)) return now;
    this.#offset = Math.min(this.#offset, now - sent);
    return sent + this.#offset;
  }
}

/**
 * The shell of a kernel and its subshells (Jupyter's enhancement proposal 91). Each executes its cells one after the other;
 * those of different ones run beside each other: one goes on while another awaits something. A loop holds up all of them.
 */
export class Subshells {
  readonly #create: () => Executor;
  readonly #main: Executor;
  readonly #subshells = new Map<string, Executor>();
  /** What is deleted while a cell runs in it is stopped by an interrupt all the same. */
  readonly #deleted = new Set<Executor>();

  constructor(create: () => Executor) {
    this.#create = create;
    this.#main = create();
  }

  /** A new subshell's id. */
  add(): string {
    const id = randomUUID();
    this.#subshells.set(id, this.#create());
    return id;
  }

  get ids(): readonly string[] {
    return [...this.#subshells.keys()];
  }

  /**
   * Takes no more cells for a subshell. The one that runs comes to its end, those that wait for it are aborted.
   *
   * @throws ArgumentError if there is none of this id
   */
  delete(id: unknown): void {
    const executor = this.#subshell(id);
    this.#subshells.delete(String(id));
    executor.abort();
    for (const other of this.#deleted) if (!other.current) this.#deleted.delete(other);
    this.#deleted.add(executor);
  }

  /**
   * Has a cell executed in the shell that its message names.
   *
   * @throws ArgumentError if there is none of this id
   */
  execute(message: Message): void {
    const { subshell_id: id = null } = message.header;
    (id === null ? this.#main : this.#subshell(id)).add(message);
  }

  /** A request that is being executed. */
  get current(): Message | undefined {
    return this.#all.map(({ current }) => current).find((message) => message !== undefined);
  }

  async interrupt(): Promise<void> {
    await Promise.all(this.#all.map((executor) => executor.interrupt()));
  }

  get #all(): readonly Executor[] {
    return [this.#main, ...this.#subshells.values(), ...this.#deleted];
  }

  #subshell(id: unknown): Executor {
    const found = this.#subshells.get(String(id));
    if (found) return found;
    throw new ArgumentError(`The kernel has no subshell ${JSON.stringify(id)}.`, {
      hint: nameHint(String(id), this.ids) || "A create_subshell_request makes one.",
      facts: { subshell: id },
    });
  }
}

function resultText(outcome: Outcome): string | null {
  const text = outcome.status === "ok" ? outcome.result?.["text/plain"] : undefined;
  return typeof text === "string" ? text : null;
}
