import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ArgumentError } from "../../core/errors.js";
import { nameHint } from "../../core/nearest-name.js";
import type { RemoteCompiler } from "../compiler/connect-compiler.js";
import {
  colouredTraceback,
  ignoreInterrupt,
  interruptedBefore,
  kernelError,
  unsentError,
} from "../engine/cell/cell-errors.js";
import type { Compilation, CompiledCell, Outcome } from "../engine/cell/language-engine.js";
import { ownModules } from "../engine/cell/preloaded-names.js";
import type { Content, Header, Message } from "../wire/message.js";
import type { HistoryStore } from "./history-store.js";
import type { Publisher } from "./publisher.js";
import type { RunnerClient } from "./runner-client.js";
import { type ExecuteRequest, type Running, type Runs, readExecuteRequest } from "./runs.js";

/** Time in milliseconds after a failure in which cells sent before it may still arrive. */
const LATE_MS = 10_000;

/** Maximum time between two requests of a page that runs several cells at once, in milliseconds. */
const BATCH_MS = 250;

/** Dependencies of the executor. */
export interface ExecutorParts {
  readonly compiler: Pick<RemoteCompiler, "compile" | "retract" | "warnings">;
  readonly runner: Pick<RunnerClient, "nextRun" | "load" | "settled" | "run" | "interrupt">;
  readonly publisher: Publisher;
  readonly history: HistoryStore;
  /** Shared by all executors of the kernel. */
  readonly runs: Runs;
  /** Called before a cell runs. */
  prepare(cell: CompiledCell): Promise<void>;
  reply(request: Message, content: Content): void;
}

/** Executes cells one after the other and publishes their output. */
export class Executor {
  readonly #parts: ExecutorParts;
  readonly #queue: Message[] = [];
  #current: Running | undefined;
  #interrupted = false;
  #warned = false;
  readonly #sentTimes = new SentTimes();
  /** Time of the last failure after which pending cells are aborted, in milliseconds. */
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
    // Cells that were sent together may arrive after one of them has failed.
    const sentAt = this.#sentTimes.of(message.header, now);
    this.#batch = this.#batchWith(message, sentAt);
    if (this.#batch?.failed || (sentAt < this.#failedAt && now - this.#failedAt < LATE_MS)) {
      this.#abort(message);
      return;
    }
    this.#queue.push(message);
    if (this.#queue.length === 1) void this.#work();
  }

  /** The batch of a request that a page has just sent. */
  #batchWith({ header: { session }, metadata }: Message, sentAt: number): Batch | undefined {
    // A program can reply to a failure immediately. A page, which sends the id of the cell, is operated by a person.
    if (metadata["cellId"] === undefined) return undefined;
    const before = this.#batch?.session === session && sentAt - this.#batch.sentAt < BATCH_MS ? this.#batch : undefined;
    const isWaiting = this.#queue.some(({ header }) => header.session === session);
    return before || isWaiting ? { session, sentAt, failed: before?.failed ?? false } : undefined;
  }

  /** Aborts requests that have not begun. */
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
    // These are Siteframe's modules, which load while the compiler reads their declarations.
    const loading = runner.load(ownModules(request.code));
    // By then the compiler has its request, and this thread reports meanwhile that the cell has begun.
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

  /** Above the output of the first visible cell. An interrupt of the compiler ends the cell itself: see `#outcome`. */
  async #warn(parent: Message["header"]): Promise<void> {
    if (this.#warned) return;
    const warnings = await this.#parts.compiler.warnings().catch(ignoreInterrupt);
    this.#warned = warnings !== undefined;
    for (const warning of warnings ?? []) {
      this.#parts.publisher.stream("stderr", `${warning}\n`, parent);
    }
  }

  /** Replies with the reason why the request has no regular reply. */
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

  /** The cell's outcome, after its result was shown. */
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
    // The client that waits for the outcome gets a reply.
    compilation.catch(() => undefined);
    return compilation;
  }

  async #outcome(run: number, compiling: Promise<Compilation>, loading?: Promise<void>): Promise<Outcome> {
    const { compiler } = this.#parts;
    try {
      const compilation = await compiling;
      if (compilation.status === "error") return compilation;
      const outcome = await this.#run(run, compilation.cell, loading);
      // Otherwise later cells would treat its names as declared.
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

  /** Replies like ipykernel: pages show a returned count as that of a cell that ran. */
  #abort(message: Message): void {
    const { publisher, reply } = this.#parts;
    publisher.status("busy", message.header);
    reply(message, { status: "aborted" });
    publisher.status("idle", message.header);
  }
}

/**
 * Requests that a page sends without waiting for replies, as "Run All Cells" does. A slow page may send the last ones
 * after one of the first has failed: they are aborted like queued requests.
 */
interface Batch {
  readonly session: string;
  /** Time of the last request, in milliseconds. */
  readonly sentAt: number;
  failed: boolean;
}

/**
 * Converts send times of a client's messages to the kernel's clock. Clocks may differ, and messages take time: the
 * offset is taken from the fastest message of a session. The result is never before the real time.
 */
class SentTimes {
  #session: string | undefined;
  /** Offset of this clock from the message headers, in milliseconds. */
  #offset = Number.POSITIVE_INFINITY;

  /** @param now arrival time of the message, in milliseconds */
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
 * The shell of a kernel and its subshells (Jupyter's enhancement proposal 91). Each executes its cells one after the
 * other. Cells of different shells run concurrently: one continues while another awaits. A loop blocks all of them.
 */
export class Subshells {
  readonly #create: () => Executor;
  readonly #main: Executor;
  readonly #subshells = new Map<string, Executor>();
  /** A subshell that is deleted while a cell runs in it can still be interrupted. */
  readonly #deleted = new Set<Executor>();

  constructor(create: () => Executor) {
    this.#create = create;
    this.#main = create();
  }

  /** Creates a subshell and returns its id. */
  add(): string {
    const id = randomUUID();
    this.#subshells.set(id, this.#create());
    return id;
  }

  get ids(): readonly string[] {
    return [...this.#subshells.keys()];
  }

  /**
   * Closes a subshell. Its running cell completes; its queued cells are aborted.
   *
   * @throws ArgumentError if the id is unknown
   */
  delete(id: unknown): void {
    const executor = this.#subshell(id);
    this.#subshells.delete(String(id));
    executor.abort();
    for (const other of this.#deleted) if (!other.current) this.#deleted.delete(other);
    this.#deleted.add(executor);
  }

  /**
   * Executes a cell in the shell that its message names.
   *
   * @throws ArgumentError if the id is unknown
   */
  execute(message: Message): void {
    const { subshell_id: id = null } = message.header;
    (id === null ? this.#main : this.#subshell(id)).add(message);
  }

  /** The current request. */
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
    const subshell = this.#subshells.get(String(id));
    if (subshell) return subshell;
    throw new ArgumentError(`Unknown subshell: ${JSON.stringify(id)}.`, {
      hint: nameHint(String(id), this.ids) || "Send create_subshell_request to create one.",
      facts: { subshell: id },
    });
  }
}

function resultText(outcome: Outcome): string | null {
  const text = outcome.status === "ok" ? outcome.result?.["text/plain"] : undefined;
  return typeof text === "string" ? text : null;
}
