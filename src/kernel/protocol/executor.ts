import type { RemoteCompiler } from "../compiler/connect-compiler.js";
import { colouredTraceback, interruptedError, kernelError, unsentError } from "../engine/cell/cell-errors.js";
import type { CellError, Compilation, CompiledCell, Outcome } from "../engine/cell/language-engine.js";
import type { CellOutput } from "../threads/thread-messages.js";
import type { Content, Message } from "../wire/message.js";
import type { HistoryStore } from "./history-store.js";
import type { Publisher } from "./publisher.js";
import type { RunnerClient } from "./runner-client.js";

const defaultLimit = 5_000_000;

/** Cuts the text that one cell prints, which is kept in the notebook, with a note where it ends. */
class StreamLimit {
  #left: number;
  readonly #limit: number;

  constructor(limit = defaultLimit) {
    this.#limit = limit;
    this.#left = limit;
  }

  /** What of `text` is still to be shown. */
  cut(text: string): string {
    if (this.#left < 0) return "";
    this.#left -= text.length;
    if (this.#left >= 0) return text;
    const shown = text.slice(0, text.length + this.#left);
    return `${shown}\n… more output of this cell is not shown: it is longer than ${this.#limit} characters\n`;
  }
}

/** What the executor works with. */
export interface ExecutorParts {
  readonly compiler: Pick<RemoteCompiler, "compile" | "warnings">;
  readonly runner: Pick<RunnerClient, "nextRun" | "settled" | "run" | "interrupt">;
  readonly publisher: Publisher;
  readonly history: HistoryStore;
  /** Called before a cell runs. */
  prepare(cell: CompiledCell): Promise<void>;
  reply(request: Message, content: Content): void;
}

interface Running {
  readonly message: Message;
  readonly request: ExecuteRequest;
  readonly payload: Content[];
  readonly limit: StreamLimit;
  /** Why the cell fails, though it does not know. */
  failure?: CellError;
}

/** Runs are remembered, so that late output finds its cell; a kernel runs for weeks. */
const remembered = 10_000;

/** Executes cells one after the other and publishes what they show. */
export class Executor {
  readonly #parts: ExecutorParts;
  readonly #queue: Message[] = [];
  readonly #runs = new Map<number, Running>();
  #current: Running | undefined;
  #interrupted = false;
  #warned = false;
  #count = 0;
  #hidden = 0;

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
  }

  /** The request that is being executed. */
  get current(): Message | undefined {
    return this.#current?.message;
  }

  add(message: Message): void {
    this.#queue.push(message);
    if (this.#queue.length === 1) void this.#work();
  }

  /** The request, and whether the user can be asked, of a run that may have ended. */
  requestOf(run: number): { readonly message: Message; readonly allowStdin: boolean } | undefined {
    const running = this.#runs.get(run);
    return running && { message: running.message, allowStdin: running.request.allowStdin };
  }

  /** Lets the output of callbacks that belong to no cell find `message`. */
  adopt(run: number, message: Message): void {
    this.#remember(run, message, readExecuteRequest({}));
  }

  async interrupt(): Promise<void> {
    this.#interrupted = true;
    await this.#parts.runner.interrupt();
  }

  show(run: number, output: CellOutput): void {
    const running = this.#runs.get(run);
    if (!running || running.request.silent) return;
    const { publisher } = this.#parts;
    const parent = running.message.header;
    switch (output.type) {
      case "stream": {
        const text = running.limit.cut(output.text);
        if (text !== "") publisher.stream(output.name, text, parent);
        return;
      }
      case "display": {
        const { id, update } = output.target ?? {};
        const type = update ? "update_display_data" : "display_data";
        const transient = id === undefined ? {} : { display_id: id };
        publisher.publish(type, { data: output.bundle, metadata: {}, transient }, parent);
        return;
      }
      case "clear":
        publisher.publish("clear_output", { wait: output.wait }, parent);
        return;
      case "page":
        running.payload.push({ source: "page", data: output.bundle, start: 0 });
    }
  }

  /** An output that cannot be sent fails its cell, or is told below it if the cell has ended. */
  unsent(run: number, error: unknown): void {
    const running = this.#runs.get(run);
    if (!running) return;
    const failure = unsentError(error);
    if (running === this.#current) running.failure ??= failure;
    else this.#parts.publisher.stream("stderr", `${failure.traceback.join("\n")}\n`, running.message.header);
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
    const { publisher, runner, reply, history } = this.#parts;
    const parent = message.header;
    const run = runner.nextRun();
    this.#interrupted = false;
    const running = this.#remember(run, message, request);
    this.#current = running;
    if (request.storeHistory) this.#count++;
    const execution_count = this.#count;
    const name = request.storeHistory ? `Cell ${execution_count}` : `Hidden cell ${++this.#hidden}`;
    // Compiled in another thread, while this one tells that it has begun.
    const compilation = this.#compile(request.code, name);
    publisher.status("busy", parent);
    if (!request.silent) publisher.publish("execute_input", { code: request.code, execution_count }, parent);

    if (!request.silent) await this.#warn(parent);
    const outcome = this.#showResult(running, await this.#outcome(run, compilation), execution_count);
    if (request.storeHistory) history.add(execution_count, request.code, resultText(outcome));
    const { payload } = running;
    if (outcome.status === "error") {
      const { ename, evalue } = outcome.error;
      const traceback = colouredTraceback(outcome.error);
      if (!request.silent) publisher.publish("error", { ename, evalue, traceback }, parent);
      reply(message, { status: "error", execution_count, ename, evalue, traceback, payload, user_expressions: {} });
    } else {
      const user_expressions = await this.#evaluate(request.userExpressions);
      reply(message, { status: "ok", execution_count, payload, user_expressions });
    }
    this.#current = undefined;
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
    const more = { execution_count: this.#count, payload: [], user_expressions: {} };
    reply(message, { status: "error", ...failure, ...more });
    this.#current = undefined;
    publisher.status("idle", message.header);
    return "error";
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

  async #outcome(run: number, compiling: Promise<Compilation>): Promise<Outcome> {
    try {
      const compilation = await compiling;
      if (compilation.status === "error") return compilation;
      await this.#parts.prepare(compilation.cell);
      await this.#parts.runner.settled;
      if (this.#interrupted) return { status: "error", error: interruptedError };
      return await this.#parts.runner.run(run, compilation.cell);
    } catch (error) {
      return { status: "error", error: kernelError(error) };
    }
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

  /** As ipykernel replies: where a count comes back, pages show it as that of a cell that ran. */
  #abortQueue(): void {
    const { publisher, reply } = this.#parts;
    for (const message of this.#queue.splice(0)) {
      publisher.status("busy", message.header);
      reply(message, { status: "aborted" });
      publisher.status("idle", message.header);
    }
  }

  #remember(run: number, message: Message, request: ExecuteRequest): Running {
    const running: Running = { message, request, payload: [], limit: new StreamLimit() };
    this.#runs.set(run, running);
    this.#runs.delete(run - remembered);
    return running;
  }
}

function resultText(outcome: Outcome): string | null {
  const text = outcome.status === "ok" ? outcome.result?.["text/plain"] : undefined;
  return typeof text === "string" ? text : null;
}

/** An `execute_request` with its defaults filled in. */
interface ExecuteRequest {
  readonly code: string;
  readonly silent: boolean;
  readonly storeHistory: boolean;
  readonly userExpressions: Readonly<Record<string, string>>;
  readonly allowStdin: boolean;
  readonly stopOnError: boolean;
}

function readExecuteRequest(content: Content): ExecuteRequest {
  const silent = content["silent"] === true;
  const expressions = content["user_expressions"];
  return {
    code: String(content["code"] ?? ""),
    silent,
    storeHistory: !silent && content["store_history"] !== false,
    userExpressions: Object.fromEntries(
      Object.entries(typeof expressions === "object" && expressions !== null ? expressions : {}).map(
        ([name, expression]) => [name, String(expression)],
      ),
    ),
    allowStdin: content["allow_stdin"] === true,
    stopOnError: content["stop_on_error"] !== false,
  };
}
