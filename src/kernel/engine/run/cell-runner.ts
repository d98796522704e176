import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { format } from "node:util";
import { Worker } from "node:worker_threads";
import { announceSignals } from "../../../core/abort-signal.js";
import { readSafely } from "../../../core/show-value.js";
import { renderError } from "../../../tables/display/html/error-chain.js";
import { html, md, svg } from "../../../tables/display/markup-tags.js";
import { displaySymbol, type MimeBundle } from "../../../tables/display/mime-bundle.js";
import { toMimeBundle } from "../../../tables/display/to-mime-bundle.js";
import { toUnpaintedBundle } from "../../../tables/display/to-unpainted-bundle.js";
import { CellStopped, interruptedError, unsentError } from "../cell/cell-errors.js";
import { type CellSource, cellSource } from "../cell/cell-positions.js";
import type { CellError, CellSink, CompiledCell, ModuleSource, Outcome, SourceText } from "../cell/language-engine.js";
import { NameFields, NameSharing, settleNames, unsetNames, withUnset } from "../names/name-sharing.js";
import { CellContext, CellRun } from "./cell-run.js";
import { describeAwaited, describeError, outermostCell, shownFrames } from "./describe-error.js";
import { installGlobals } from "./install-globals.js";
import { ModuleLoader } from "./module-loader.js";
import { createScope, type Resume, runScript } from "./run-script.js";
import { listVariables } from "./whos.js";

/** The event that Node emits for every thread at its start, while the code that starts it runs. */
const channel = "worker_threads";

/** Frames of a stack that Node keeps. With the default of ten, library frames would hide the cell that called them. */
const frames = 100;

/**
 * The half of the engine that runs compiled cells, in the thread that creates it. Every step that ends a cell is
 * synchronous, because terminating an execution from another thread also discards waiting microtasks.
 */
export class CellRunner {
  readonly #path: string;
  readonly #modules: ModuleLoader;
  /** Late output finds its cell in it. */
  readonly #context = new CellContext<CellRun>();
  readonly #sources = new Map<string, CellSource>();
  readonly #runs = new Map<string, CellRun>();
  readonly #findCell = (name: string) => this.#sources.get(name);
  readonly #restore: (() => void)[] = [];
  readonly #callbacks = new Set<CellRun>();
  #exports: Record<string, unknown> = {};
  #fields = new NameFields(this.#exports);
  /** Running cells in start order, with the name of their result. Cells of subshells run concurrently. */
  readonly #running = new Map<CellRun, string | undefined>();
  #last: CellRun | undefined;
  /** The run whose signal is being aborted: what its listeners print is ignored. */
  #aborted: CellRun | undefined;

  constructor(directory: string, source: ModuleSource) {
    this.#path = join(directory, "cell.ts");
    this.#modules = new ModuleLoader({
      ...{ directory, source, resume: this.#resume },
      onCompiled: (name, { path, code, sourceMaps }) =>
        this.#sources.set(name, cellSource({ name, path, code, sourceMaps, linesBefore: 0 })),
    });
    this.#restore.push(
      captureStreams((name, chunk) => {
        const run = this.#owner;
        if (!run?.stopped) run?.output.write(name, chunk);
        return run !== undefined;
      }),
      watchThreads((thread) => this.#owner?.addThread(thread)),
      catchStrays((error, promise) => this.#takeStray(error, promise && this.#context.ownerOf(promise))),
      followCallbacks(this.#context, (error, run) => this.#takeStray(error, run)),
      installGlobals(
        createCellGlobals({
          run: () => this.#owner,
          signal: () => (this.#owner ?? this.#last)?.signal,
          bundle: (value) => this.bundle(value),
          variables: () => listVariables(this.#exports),
        }),
      ),
      announceSignals(() => this.#owner?.signal),
      traceCells((stack) => shownFrames(stack, this.#findCell)),
      keepLongStacks(),
      () => this.#context.close(),
    );
  }

  /** Starts a cell. `onOutcome` is called once, when it has ended. Other cells run while it awaits. */
  start(cell: CompiledCell, sink: CellSink, onOutcome: (outcome: Outcome) => void): void {
    const sharing = new NameSharing(this.#exports, this.#fields);
    const run = new CellRun(cell.name, sink, { onOutcome, onUnsent: this.#takeUnsent }, sharing, cell.names);
    const { name, code, sourceMaps, linesBefore, resultName } = cell;
    if (resultName !== undefined && !Object.hasOwn(this.#exports, resultName)) this.#keepResults(resultName);
    this.#sources.set(name, cellSource({ name, code, sourceMaps, linesBefore }));
    this.#runs.set(cell.name, run);
    this.#running.set(run, resultName);
    this.#last = run;
    void this.#follow(cell, run);
  }

  /** Whether the cell with this name has started its first statement. */
  hasBegun(name: string): boolean {
    return this.#runs.get(name)?.hasBegun ?? false;
  }

  /** Loads packages that cells will import. Never rejects. */
  async load(specifiers: readonly string[]): Promise<void> {
    await Promise.all(specifiers.map((specifier) => this.#modules.load(specifier, this.#path)));
  }

  /** Where output goes. */
  get currentSink(): CellSink | undefined {
    return this.#owner?.sink;
  }

  /** The cell or callback that runs, or that caused the running code. */
  get #owner(): CellRun | undefined {
    return this.#context.current ?? this.#aborted ?? this.#current;
  }

  /** The running cell that started last. */
  get #current(): CellRun | undefined {
    return [...this.#running.keys()].at(-1);
  }

  /** The names of all cells. Accessors may be the user's own: see `readName`. */
  get names(): Readonly<Record<string, unknown>> {
    return this.#exports;
  }

  /** Fields for values of names that loops use. */
  get fields(): NameFields {
    return this.#fields;
  }

  /** Source code of cells and local modules. */
  get sources(): readonly SourceText[] {
    return [...this.#sources.values()].map(({ text }) => text);
  }

  /** The display of any value. An error includes the lines of its cell. */
  bundle(value: unknown): MimeBundle | Promise<MimeBundle> {
    const isPlainError = readSafely(() => value instanceof Error && !(displaySymbol in value), false);
    return isPlainError ? renderError(value, this.#describe(value, "").traceback) : toMimeBundle(value);
  }

  /** Ends the running cell with an error. If its code continues, it is stopped or its output is ignored. */
  interrupt(): void {
    this.#context.clear();
    this.#aborted = undefined;
    const interrupted = [...this.#running.keys(), ...this.#callbacks];
    for (const run of interrupted) {
      run.endThreads();
      this.#fail(run, interruptedError);
    }
    // The cells have ended before listeners run, which may throw or never return. Timers and ticks of listeners run, unlike
    // those of a stopped cell: requests and queries need them to end.
    for (const run of interrupted) {
      this.#aborted = run;
      run.abort();
    }
    this.#aborted = undefined;
  }

  /**
   * Runs a callback whose output and errors belong to `sink`, as if it were a cell. `onOutcome` is called once, when
   * the callback has ended and its promise has settled.
   */
  callBack(callback: () => unknown, sink: CellSink, onOutcome: (outcome: Outcome) => void): void {
    const end = (outcome: Outcome) => {
      onOutcome(outcome);
      this.#callbacks.delete(run);
    };
    const run = new CellRun("", sink, { onOutcome: end, onUnsent: this.#takeUnsent });
    this.#callbacks.add(run);
    void this.#followCallback(callback, run);
  }

  /** Forgets every variable. */
  reset(): void {
    this.#exports = {};
    this.#fields = new NameFields(this.#exports);
    this.#sources.clear();
    this.#runs.clear();
  }

  close(): void {
    for (const restore of this.#restore.splice(0)) restore();
  }

  async #follow(cell: CompiledCell, run: CellRun): Promise<void> {
    try {
      const importModule = (specifier: unknown) => this.#modules.import(specifier, this.#path);
      const cellScope = createScope(this.#path, this.#exports, importModule, this.#resume, run.sharing);
      // V8 stores an object that others inherit from in a form whose accessors it inlines, even after names are added
      // and removed. A loop over names of other cells is then 20 times as fast.
      const scope = { ...cellScope, names: Object.create(this.#exports) };
      const onBegin = () => {
        run.hasBegun = true;
      };
      await this.#context.run(run, () => runScript(cell.script, cell.name, scope, onBegin));
      // Node reports an unhandled rejection after the current turn; it belongs to this cell.
      await nextTurn();
      const value = this.#takeResult(cell, run);
      const result = value === undefined ? {} : await this.#context.run(run, () => this.#display(value, run.sink));
      await run.output.drained();
      run.sharing.end();
      run.settle({ status: "ok", ...result });
    } catch (thrown) {
      await run.output.drained();
      const names = { declared: run.declares, unset: unsetNames(this.#exports, run.declares) };
      this.#settleFailed(run, describeAwaited(thrown, cell.name, this.#findCell, names));
    }
    this.#leave(run);
  }

  async #followCallback(callback: () => unknown, run: CellRun): Promise<void> {
    try {
      await this.#context.run(run, callback);
      await run.output.drained();
      run.settle({ status: "ok" });
    } catch (thrown) {
      await run.output.drained();
      run.settle({ status: "error", error: this.#describe(thrown, "") });
    }
  }

  readonly #resume: Resume = (value) => {
    if (this.#context.current?.stopped) throw new CellStopped();
    return value;
  };

  #fail(run: CellRun, error: CellError): void {
    run.stop();
    this.#modules.abandon();
    this.#settleFailed(run, error);
    this.#leave(run);
  }

  #settleFailed(run: CellRun, error: CellError): void {
    if (run.settled) return;
    run.sharing.end();
    if (!run.hasBegun) run.settle({ status: "error", error, hasRun: false });
    else {
      const unset = settleNames(this.#exports, this.#fields, run.declares);
      run.settle({ status: "error", error: withUnset(error, unset) });
    }
  }

  /** An error in a callback fails the cell that caused it. After the cell has ended, the error can only be shown. */
  #takeStray(error: unknown, owner: CellRun | undefined): void {
    if (readSafely(() => error instanceof CellStopped, false)) return;
    // Callbacks of files, sockets and ports lose their run, so it is determined from their errors.
    const run = owner ?? this.#runs.get(outermostCell(error, this.#findCell) ?? "") ?? this.#current ?? this.#last;
    if (!run || run.stopped) return;
    if (this.#running.has(run) && !run.settled) this.#fail(run, this.#describe(error, run.name));
    else this.#showStray(run, error);
  }

  #showStray(run: CellRun, error: unknown): void {
    run.output.stream("stderr", errorText(this.#describe(error, "")));
  }

  /** Handled like an error in a callback, but bypasses the queue, whose failures are reported here. */
  readonly #takeUnsent = (run: CellRun, error: unknown): void => {
    if (run.stopped) return;
    const unsent = unsentError(error);
    try {
      if (this.#running.has(run) && !run.settled) this.#fail(run, unsent);
      else run.sink.stream("stderr", errorText(unsent));
    } catch {
      // A sink without this method ignores it.
    }
  };

  #describe(thrown: unknown, cellName: string): CellError {
    return describeError(thrown, cellName, this.#findCell);
  }

  async #display(
    value: unknown,
    { paints }: CellSink,
  ): Promise<Pick<Outcome & { status: "ok" }, "result" | "pictures">> {
    const unpainted = paints ? toUnpaintedBundle(value) : undefined;
    return unpainted
      ? { result: unpainted.bundle, pictures: unpainted.pictures }
      : { result: await this.bundle(value) };
  }

  /** Cells write their result to a shared name. Each run keeps its own result, even if runs are concurrent. */
  #keepResults(name: string): void {
    const set = (value: unknown) => {
      const run = this.#owner;
      if (run) run.result = value;
    };
    Object.defineProperty(this.#exports, name, { get: noResult, set, configurable: true });
  }

  /** A user's own variable may have this name, and then holds the result. */
  #takeResult({ resultName }: CompiledCell, run: CellRun): unknown {
    if (resultName === undefined) return undefined;
    if (this.#keeps(resultName)) return run.takeResult();
    const value = this.#exports[resultName];
    delete this.#exports[resultName];
    return value;
  }

  #keeps(name: string): boolean {
    return Object.getOwnPropertyDescriptor(this.#exports, name)?.get === noResult;
  }

  /** A cell has ended. A user may now use the name of its result. */
  #leave(run: CellRun): void {
    const name = this.#running.get(run);
    this.#running.delete(run);
    if (name === undefined || [...this.#running.values()].includes(name)) return;
    if (this.#keeps(name)) delete this.#exports[name];
  }
}

/** The value that code reads from the name of results. */
const noResult = (): undefined => undefined;

/** Calls back with each thread that is started from this one. Returns a function that reverts it. */
function watchThreads(onStart: (thread: Worker) => void): () => void {
  const take = (message: unknown) => {
    const thread: unknown =
      typeof message === "object" && message !== null ? Reflect.get(message, "worker") : undefined;
    if (thread instanceof Worker) onStart(thread);
  };
  subscribe(channel, take);
  return () => {
    unsubscribe(channel, take);
  };
}

/** Makes errors keep enough frames to reach the calling cell. Returns a function that reverts it. */
function keepLongStacks(): () => void {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = Math.max(before, frames);
  return () => {
    Error.stackTraceLimit = before;
  };
}

function errorText({ traceback }: CellError): string {
  return `${traceback.join("\n")}\n`;
}

/**
 * Passes on uncaught errors: rejected promises, with the promise, and errors thrown in callbacks. Returns a function
 * that reverts it.
 */
function catchStrays(onError: (error: unknown, promise?: Promise<unknown>) => void): () => void {
  const onException = (error: unknown) => onError(error);
  process.on("unhandledRejection", onError);
  process.on("uncaughtException", onException);
  return () => {
    process.off("unhandledRejection", onError);
    process.off("uncaughtException", onException);
  };
}

/**
 * Makes `console.trace` show only the frames in cells. Returns a function that reverts it.
 *
 * @param framesOf the lines for the frames of a stack; if empty, Node's own trace is shown
 */
function traceCells(
  framesOf: (stack: Error) => readonly string[],
  target: Pick<Console, "trace" | "error"> = globalThis.console,
): () => void {
  const original = target.trace;
  target.trace = function trace(...data: unknown[]): void {
    const frames = framesOf(new Error("trace"));
    const heading = data.length === 0 ? "Trace" : `Trace: ${format(...data)}`;
    if (frames.length > 0) target.error([heading, ...frames].join("\n"));
    else Reflect.apply(original, target, data);
  };
  return () => {
    target.trace = original;
  };
}

/** Receives output, as text or UTF-8; returning false passes it to the real stream. */
type StreamReceiver = (name: "stdout" | "stderr", chunk: Uint8Array | string) => boolean;

/** Redirects `process.stdout` and `process.stderr`, which `console` also uses. Returns a function that reverts it. */
function captureStreams(receive: StreamReceiver): () => void {
  const restoreStdout = capture("stdout", receive);
  const restoreStderr = capture("stderr", receive);
  return () => {
    restoreStdout();
    restoreStderr();
  };
}

type Written = (error?: Error | null) => void;

function capture(name: "stdout" | "stderr", receive: StreamReceiver): () => void {
  const stream = process[name];
  const original = stream.write;
  stream.write = function write(
    chunk: Uint8Array | string,
    encoding?: BufferEncoding | Written,
    written?: Written,
  ): boolean {
    const isText = typeof chunk !== "string" || typeof encoding !== "string" || /^utf-?8$/i.test(encoding);
    if (!receive(name, isText ? chunk : Buffer.from(chunk, encoding)))
      return Reflect.apply(original, stream, [chunk, encoding, written]);
    const callback = typeof encoding === "function" ? encoding : written;
    if (callback) process.nextTick(callback);
    return true;
  };
  return () => {
    stream.write = original;
  };
}

/** Options to name and replace a display. */
interface DisplayOptions {
  /** Names the display. */
  readonly id?: string;
  /** Replaces the displays with that id instead of adding one. */
  readonly update?: boolean;
}

/** Options of a question. */
interface InputOptions {
  /** True if the input must be hidden. */
  readonly password?: boolean;
}

/** Dependencies of the functions of cells. */
interface CellGlobalsParts {
  /** The run of the cell that calls. */
  readonly run: () => CellRun | undefined;
  /** The signal of that cell, or of the last one. */
  readonly signal: () => AbortSignal | undefined;
  /** The display of any value. */
  readonly bundle: (value: unknown) => MimeBundle | Promise<MimeBundle>;
  readonly variables: () => readonly unknown[];
}

/** Creates the functions that cells have without importing them. */
function createCellGlobals({ run, signal, bundle, variables }: CellGlobalsParts): Readonly<Record<string, unknown>> {
  return {
    display: (value: unknown, { id, update = false }: DisplayOptions = {}) =>
      run()?.output.display(bundle(value), id === undefined ? undefined : { id, update }),
    page: (value: unknown) => run()?.output.page(bundle(value)),
    clearOutput: ({ wait = false } = {}) => run()?.output.clear(Boolean(wait)),
    input: async (prompt = "", { password = false }: InputOptions = {}) =>
      await run()?.output.input({ prompt: String(prompt), password: Boolean(password) }),
    get signal() {
      return signal();
    },
    whos: variables,
    html,
    md,
    svg,
  };
}

type Callback = (...values: unknown[]) => void;
type Schedule = (callback: Callback, ...rest: unknown[]) => unknown;

/**
 * Makes timers and ticks of a cell run in its context, and do nothing after the cell was stopped. Returns a function
 * that reverts it.
 */
function followCallbacks(context: CellContext<CellRun>, onError: (error: unknown, run: CellRun) => void): () => void {
  const follow = (schedule: Schedule, cancel: (timer: unknown) => void = () => undefined): Schedule => {
    const followed: Schedule = (callback, ...rest) => {
      const run = context.current;
      if (!run || typeof callback !== "function") return schedule(callback, ...rest);
      const timer = schedule(
        (...values) => {
          if (run.stopped) return cancel(timer);
          try {
            context.run(run, () => callback(...values));
          } catch (error) {
            onError(error, run);
          }
        },
        ...rest,
      );
      return timer;
    };
    // Name, length, and the function that `promisify` uses instead.
    return Object.defineProperties(followed, Object.getOwnPropertyDescriptors(schedule));
  };

  const { nextTick } = process;
  process.nextTick = follow(nextTick as Schedule) as typeof nextTick;
  const restore = installGlobals({
    setTimeout: follow(globalThis.setTimeout as Schedule, (timer) => clearTimeout(timer as NodeJS.Timeout)),
    setInterval: follow(globalThis.setInterval as Schedule, (timer) => clearInterval(timer as NodeJS.Timeout)),
    setImmediate: follow(globalThis.setImmediate as Schedule),
    queueMicrotask: follow(globalThis.queueMicrotask as Schedule),
  });
  return () => {
    process.nextTick = nextTick;
    restore();
  };
}
