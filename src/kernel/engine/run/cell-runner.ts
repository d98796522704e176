import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { readSafely } from "../../../core/read-safely.js";
import { displaySymbol } from "../../../tables/display/bundle/display-symbol.js";
import type { MimeBundle } from "../../../tables/display/bundle/mime-bundle.js";
import { renderError } from "../../../tables/display/errors/render-error.js";
import { toMimeBundle } from "../../../tables/display/to-mime-bundle.js";
import { toUnpaintedBundle } from "../../../tables/display/to-unpainted-bundle.js";
import { CellStopped, interruptedError, unsentError } from "../cell/cell-errors.js";
import { type CellSource, cellSource } from "../cell/cell-positions.js";
import type { CellError, CellSink, CompiledCell, Outcome } from "../cell/language-engine.js";
import type { ModuleSource } from "../cell/module-source.js";
import type { SourceText } from "../cell/source-text.js";
import { NameFields } from "../names/name-fields.js";
import { NameSharing } from "../names/name-sharing.js";
import { settleNames, tellUnset } from "../names/settle-names.js";
import { captureStreams } from "./capture-streams.js";
import { catchStrays } from "./catch-strays.js";
import { CellContext } from "./cell-context.js";
import { createCellGlobals } from "./cell-globals.js";
import { CellRun } from "./cell-run.js";
import { describeAwaited, describeError, outermostCell, shownFrames } from "./describe-error.js";
import { followCallbacks } from "./follow-callbacks.js";
import { installGlobals } from "./install-globals.js";
import { keepLongStacks } from "./keep-long-stacks.js";
import { ModuleLoader } from "./module-loader.js";
import { createScope, type Resume, runScript } from "./run-script.js";
import { traceCells } from "./trace-cells.js";
import { watchThreads } from "./watch-threads.js";

/**
 * The half of the engine that runs compiled cells, in the thread it is created in. Every step that ends a cell is
 * synchronous, because an execution that was terminated from another thread takes waiting microtasks with it.
 */
export class CellRunner {
  readonly #path: string;
  readonly #modules: ModuleLoader;
  /** Late output finds its cell by it. */
  readonly #context = new CellContext<CellRun>();
  readonly #sources = new Map<string, CellSource>();
  readonly #runs = new Map<string, CellRun>();
  readonly #findCell = (name: string) => this.#sources.get(name);
  readonly #restore: (() => void)[] = [];
  readonly #callbacks = new Set<CellRun>();
  #exports: Record<string, unknown> = {};
  #fields = new NameFields(this.#exports);
  #current: CellRun | undefined;
  #last: CellRun | undefined;

  constructor(directory: string, source: ModuleSource) {
    this.#path = join(directory, "cell.ts");
    this.#modules = new ModuleLoader({
      ...{ directory, source, resume: this.#resume },
      onCompiled: (name, { path, code, sourceMaps }) =>
        this.#sources.set(name, cellSource({ name, path, code, sourceMaps, linesBefore: 0 })),
    });
    this.#restore.push(
      captureStreams((name, chunk) => {
        const run = this.#context.current ?? this.#current;
        if (!run?.stopped) run?.output.write(name, chunk);
        return run !== undefined;
      }),
      watchThreads((thread) => (this.#context.current ?? this.#current)?.addThread(thread)),
      catchStrays((error, promise) => this.#takeStray(error, promise && this.#context.ownerOf(promise))),
      followCallbacks(this.#context, (error, run) => this.#takeStray(error, run)),
      installGlobals(
        createCellGlobals({
          output: () => (this.#context.current ?? this.#current)?.output,
          bundle: (value) => this.bundle(value),
        }),
      ),
      traceCells((stack) => shownFrames(stack, this.#findCell)),
      keepLongStacks(),
      () => this.#context.close(),
    );
  }

  /** Starts a cell. `onOutcome` is called once, when it has ended. One cell at a time. */
  start(cell: CompiledCell, sink: CellSink, onOutcome: (outcome: Outcome) => void): void {
    const sharing = new NameSharing(this.#exports, this.#fields);
    const run = new CellRun(cell.name, sink, { onOutcome, onUnsent: this.#takeUnsent }, sharing, cell.names);
    const { name, code, sourceMaps, linesBefore } = cell;
    this.#sources.set(name, cellSource({ name, code, sourceMaps, linesBefore }));
    this.#runs.set(cell.name, run);
    this.#current = run;
    this.#last = run;
    void this.#follow(cell, run);
  }

  /** Loads packages that cells will import. Never rejects. */
  async load(specifiers: readonly string[]): Promise<void> {
    await Promise.all(specifiers.map((specifier) => this.#modules.load(specifier, this.#path)));
  }

  /** Where output goes now: to the cell, or the callback, that runs or that caused what runs. */
  get currentSink(): CellSink | undefined {
    return (this.#context.current ?? this.#current)?.sink;
  }

  /** The names of all cells. Accessors may be the user's own: see `readName`. */
  get names(): Readonly<Record<string, unknown>> {
    return this.#exports;
  }

  /** Where values of names live that loops use. */
  get fields(): NameFields {
    return this.#fields;
  }

  /** What cells and local modules were written as. */
  get sources(): readonly SourceText[] {
    return [...this.#sources.values()].map(({ text }) => text);
  }

  /** Any value as it shows itself. An error knows its cell's lines too. */
  bundle(value: unknown): MimeBundle | Promise<MimeBundle> {
    const isPlainError = readSafely(() => value instanceof Error && !(displaySymbol in value), false);
    return isPlainError ? renderError(value, this.#describe(value, "").traceback) : toMimeBundle(value);
  }

  /** Ends the running cell with an error. What it still does, if it goes on, is stopped or not heard. */
  interrupt(): void {
    this.#context.clear();
    for (const run of [...(this.#current ? [this.#current] : []), ...this.#callbacks]) {
      run.endThreads();
      this.#fail(run, interruptedError);
    }
  }

  /**
   * Runs a callback whose output and errors belong to `sink`, as if it were a cell. `onOutcome` is called once, when it
   * has ended, and when the promise that it gave has settled.
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
      const own = createScope(this.#path, this.#exports, importModule, this.#resume, run.sharing);
      // V8 keeps an object that others inherit from in a form whose accessors it inlines, also after names came and went: a
      // loop over names of other cells is 20 times as fast.
      const scope = { ...own, names: Object.create(this.#exports) };
      await this.#context.run(run, () => runScript(cell.script, cell.name, scope));
      // Node reports a rejection that nobody handles after the current turn; it belongs to this cell.
      await nextTurn();
      const value = this.#takeResult(cell, scope.names);
      const result = value === undefined ? {} : await this.#context.run(run, () => this.#shown(value, run.sink));
      await run.output.drained();
      run.sharing.end();
      run.settle({ status: "ok", ...result });
    } catch (thrown) {
      await run.output.drained();
      this.#settleFailed(run, describeAwaited(thrown, cell.name, this.#findCell));
    }
    if (this.#current === run) this.#current = undefined;
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
    if (this.#current === run) this.#current = undefined;
  }

  #settleFailed(run: CellRun, error: CellError): void {
    if (run.settled) return;
    run.sharing.end();
    run.settle({ status: "error", error: tellUnset(error, settleNames(this.#exports, this.#fields, run.declares)) });
  }

  /** An error in a callback fails the cell that caused it; after that cell it can only be shown. */
  #takeStray(error: unknown, owner: CellRun | undefined): void {
    if (readSafely(() => error instanceof CellStopped, false)) return;
    // Callbacks of files, sockets and ports do not know for whom they run; their errors tell.
    const run = owner ?? this.#runs.get(outermostCell(error, this.#findCell) ?? "") ?? this.#current ?? this.#last;
    if (!run || run.stopped) return;
    if (run === this.#current && !run.settled) this.#fail(run, this.#describe(error, run.name));
    else this.#showStray(run, error);
  }

  #showStray(run: CellRun, error: unknown): void {
    run.output.stream("stderr", errorText(this.#describe(error, "")));
  }

  /** Like an error in a callback, told past the queue, whose failures come here. */
  readonly #takeUnsent = (run: CellRun, error: unknown): void => {
    if (run.stopped) return;
    const unsent = unsentError(error);
    try {
      if (run === this.#current && !run.settled) this.#fail(run, unsent);
      else run.sink.stream("stderr", errorText(unsent));
    } catch {
      // Whoever does not take this takes nothing.
    }
  };

  #describe(thrown: unknown, cellName: string): CellError {
    return describeError(thrown, cellName, this.#findCell);
  }

  async #shown(value: unknown, { paints }: CellSink): Promise<Pick<Outcome & { status: "ok" }, "result" | "pictures">> {
    const unpainted = paints ? toUnpaintedBundle(value) : undefined;
    return unpainted
      ? { result: unpainted.bundle, pictures: unpainted.pictures }
      : { result: await this.bundle(value) };
  }

  #takeResult({ resultName }: CompiledCell, names: Readonly<Record<string, unknown>>): unknown {
    if (resultName === undefined) return undefined;
    const value = names[resultName];
    delete this.#exports[resultName];
    return value;
  }
}

function errorText({ traceback }: CellError): string {
  return `${traceback.join("\n")}\n`;
}
