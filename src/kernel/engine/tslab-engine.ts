import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { toMimeBundle } from "../../display/to-mime-bundle.js";
import { captureStreams } from "./capture-streams.js";
import { catchStrays } from "./catch-strays.js";
import { CellCompiler, type CompiledCell } from "./cell-compiler.js";
import type { CellSource } from "./cell-positions.js";
import { describeDiagnostics } from "./describe-diagnostics.js";
import { describeError } from "./describe-error.js";
import { createDisplay } from "./display-global.js";
import type {
  CellError,
  Completeness,
  Completion,
  ExecuteOptions,
  Inspection,
  LanguageEngine,
  Outcome,
} from "./language-engine.js";
import { OutputQueue } from "./output-queue.js";
import { createScriptRunner, type RunScript } from "./run-script.js";

/** The language engine on tslab's converter: TypeScript 5.0, checked, with types across cells. */
export class TslabEngine implements LanguageEngine {
  readonly #compiler: CellCompiler;
  readonly #run: RunScript;
  /** Follows a cell into its callbacks and promises, so that late output finds its cell. */
  readonly #output = new AsyncLocalStorage<OutputQueue>();
  readonly #sources = new Map<string, CellSource>();
  readonly #restore: (() => void)[] = [];
  #exports: Record<string, unknown> = {};
  #fail: ((error: unknown) => void) | undefined;
  #lastOutput: OutputQueue | undefined;
  #count = 0;

  constructor(directory: string) {
    this.#compiler = new CellCompiler(directory);
    this.#run = createScriptRunner(directory);
    this.#restore.push(
      captureStreams((name, text) => {
        const output = this.#output.getStore();
        output?.stream(name, text);
        return output !== undefined;
      }),
      catchStrays((error) => this.#takeStray(error)),
      installGlobal(
        "display",
        createDisplay((bundle, target) => this.#output.getStore()?.display(bundle, target)),
      ),
    );
  }

  async execute(code: string, { sink, signal, name }: ExecuteOptions): Promise<Outcome> {
    this.#count++;
    const cellName = name ?? `Cell ${this.#count}`;
    const compiled = this.#compiler.compile(code);
    if (!("script" in compiled)) return { status: "error", error: describeDiagnostics(compiled, code, cellName) };

    this.#sources.set(cellName, compiled.source);
    this.#compiler.declarations = compiled.declarations;
    const output = new OutputQueue(sink);
    this.#lastOutput = output;
    try {
      await this.#runToEnd(compiled, cellName, output, signal);
      const value = this.#takeResult(compiled);
      const result = value === undefined ? {} : { result: await toMimeBundle(value) };
      await output.drained();
      return { status: "ok", ...result };
    } catch (thrown) {
      await output.drained();
      return { status: "error", error: this.#describe(thrown, cellName) };
    }
  }

  async complete(code: string, offset: number): Promise<Completion> {
    return this.#compiler.complete(code, offset);
  }

  async inspect(code: string, offset: number): Promise<Inspection | undefined> {
    return this.#compiler.inspect(code, offset);
  }

  async isComplete(code: string): Promise<Completeness> {
    return this.#compiler.isComplete(code);
  }

  reset(): void {
    this.#exports = {};
    this.#compiler.declarations = "";
    this.#sources.clear();
    this.#count = 0;
  }

  close(): void {
    for (const restore of this.#restore.splice(0)) restore();
    this.#compiler.close();
  }

  async #runToEnd(cell: CompiledCell, name: string, output: OutputQueue, signal?: AbortSignal): Promise<void> {
    const run = async () => {
      await this.#output.run(output, () => this.#run(cell.script, name, this.#exports));
      // Node reports a rejection that nobody handles after the current turn; it belongs to this cell.
      await nextTurn();
    };
    const stopped = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    const interrupt = () => this.#fail?.(new DOMException("The cell was interrupted.", "AbortError"));
    signal?.addEventListener("abort", interrupt);
    if (signal?.aborted) interrupt();
    try {
      await Promise.race([signal?.aborted ? stopped : run(), stopped]);
    } finally {
      this.#fail = undefined;
      signal?.removeEventListener("abort", interrupt);
    }
  }

  /** An error in a callback fails the running cell; after the cell it can only be shown. */
  #takeStray(error: unknown): void {
    if (this.#fail) this.#fail(error);
    else this.#lastOutput?.stream("stderr", `${this.#describe(error, "").traceback.join("\n")}\n`);
  }

  #describe(thrown: unknown, cellName: string): CellError {
    return describeError(thrown, cellName, (name) => this.#sources.get(name));
  }

  #takeResult({ resultName }: CompiledCell): unknown {
    if (resultName === undefined) return undefined;
    const value = this.#exports[resultName];
    delete this.#exports[resultName];
    return value;
  }
}

function installGlobal(name: string, value: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return () => {
    if (before) Object.defineProperty(globalThis, name, before);
    else Reflect.deleteProperty(globalThis, name);
  };
}
