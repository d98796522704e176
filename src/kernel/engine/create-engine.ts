import { resolve } from "node:path";
import { interruptedBefore, kernelError } from "./cell/cell-errors.js";
import { type EngineName, engineNames } from "./cell/engine-name.js";
import type {
  CellLanguage,
  CellSink,
  Compilation,
  CompiledCell,
  Completeness,
  Completion,
  ExecuteOptions,
  Inspection,
  LanguageEngine,
  Outcome,
  PlannedCell,
} from "./cell/language-engine.js";
import { ownModules } from "./cell/preloaded-names.js";
import { createLanguage } from "./create-language.js";
import type { CellRunner } from "./run/cell-runner.js";

/** Options of `createEngine`. */
interface EngineOptions {
  /** The folder of the notebook, from which modules are resolved. Default: the working directory. */
  readonly directory?: string;
  /** The language engine. Default: the first of `engineNames`. */
  readonly engine?: EngineName;
  /** Whether it runs a few cells and ends, so that the compiler prefers speed over memory. Default: false. */
  readonly isBrief?: boolean;
}

/**
 * Starts the language engine. It captures output streams and uncaught errors of cells until `close()`.
 */
export async function createEngine({
  directory = process.cwd(),
  engine = engineNames[0],
  isBrief = false,
}: EngineOptions = {}): Promise<LanguageEngine> {
  const folder = resolve(directory);
  const language = await createLanguage(folder, engine, { isBrief });
  // Loaded while the compiler process reads its libraries.
  const { CellRunner } = await import("./run/cell-runner.js");
  return new LocalEngine(language, new CellRunner(folder, language));
}

/** A language engine with both halves, compiling and running, in one process. */
class LocalEngine implements LanguageEngine {
  readonly #language: CellLanguage;
  readonly #runner: CellRunner;
  #count = 0;
  #warned = false;
  #loadAhead: () => Promise<void> = () => Promise.resolve();

  constructor(language: CellLanguage, runner: CellRunner) {
    this.#language = language;
    this.#runner = runner;
  }

  /** Modules load while the compiler process reads their declarations, and before the first cell runs. */
  async prepare(cells: readonly PlannedCell[], loadMore: () => Promise<void>): Promise<void> {
    let loading: Promise<void> | undefined;
    this.#loadAhead = () => {
      loading ??= this.#runner.load(ownModules(cells.map(({ code }) => code).join("\n"))).then(loadMore);
      return loading;
    };
    await this.#language.prepare?.(cells);
    await this.#loadAhead();
  }

  async execute(code: string, { sink, signal, name }: ExecuteOptions): Promise<Outcome> {
    this.#count++;
    const called = name ?? `Cell ${this.#count}`;
    if (!this.#warned) for (const warning of await this.#language.warnings()) sink.stream("stderr", `${warning}\n`);
    this.#warned = true;
    const interrupt = () => {
      void this.#language.interrupt();
      this.#runner.interrupt();
    };
    signal?.addEventListener("abort", interrupt);
    try {
      if (signal?.aborted) return interruptedBefore;
      const compilation = await this.#compile(code, called);
      if (compilation.status === "error") return compilation;
      // Node cannot load a module for `import` and `require()` at the same time, so no other module loads while cells
      // load theirs.
      await this.#loadAhead();
      const outcome = signal?.aborted ? interruptedBefore : await this.#run(compilation.cell, sink);
      if (outcome.status === "error" && outcome.hasRun === false) await this.#language.retract(called);
      return outcome;
    } finally {
      signal?.removeEventListener("abort", interrupt);
    }
  }

  #run(cell: CompiledCell, sink: CellSink): Promise<Outcome> {
    return new Promise((resolve) => this.#runner.start(cell, sink, resolve));
  }

  /** The compiler may fail at types that it cannot name; that error must be reported. */
  async #compile(code: string, name: string): Promise<Compilation> {
    try {
      return await this.#language.compile(code, name);
    } catch (error) {
      return { status: "error", error: kernelError(error) };
    }
  }

  async complete(code: string, offset: number): Promise<Completion> {
    return this.#language.complete(code, offset);
  }

  async inspect(code: string, offset: number): Promise<Inspection | undefined> {
    return this.#language.inspect(code, offset);
  }

  async isComplete(code: string): Promise<Completeness> {
    return this.#language.isComplete(code);
  }

  reset(): void {
    this.#language.reset();
    this.#runner.reset();
    this.#count = 0;
  }

  close(): void {
    this.#runner.close();
    this.#language.close();
  }
}
