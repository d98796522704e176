import { kernelError } from "./cell/cell-errors.js";
import type {
  Compilation,
  Completeness,
  Completion,
  ExecuteOptions,
  Inspection,
  LanguageEngine,
  Outcome,
} from "./cell/language-engine.js";
import { CellCompiler } from "./compile/cell-compiler.js";
import { CellRunner } from "./run/cell-runner.js";

/** The language engine on tslab's converter, both halves in one thread: TypeScript 5.0, checked, with types across cells. */
export class TslabEngine implements LanguageEngine {
  readonly #compiler: CellCompiler;
  readonly #runner: CellRunner;
  #count = 0;
  #warned = false;

  constructor(directory: string) {
    this.#compiler = new CellCompiler(directory);
    this.#runner = new CellRunner(directory, this.#compiler);
  }

  async execute(code: string, { sink, signal, name }: ExecuteOptions): Promise<Outcome> {
    this.#count++;
    if (!this.#warned) for (const warning of this.#compiler.warnings()) sink.stream("stderr", `${warning}\n`);
    this.#warned = true;
    const compilation = this.#compile(code, name ?? `Cell ${this.#count}`);
    if (compilation.status === "error") return compilation;
    const interrupt = () => this.#runner.interrupt();
    try {
      return await new Promise((resolve) => {
        this.#runner.start(compilation.cell, sink, resolve);
        signal?.addEventListener("abort", interrupt);
        if (signal?.aborted) interrupt();
      });
    } finally {
      signal?.removeEventListener("abort", interrupt);
    }
  }

  /** The compiler may fail at types that it cannot name; that must not end in silence. */
  #compile(code: string, name: string): Compilation {
    try {
      return this.#compiler.compile(code, name);
    } catch (error) {
      return { status: "error", error: kernelError(error) };
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
    this.#compiler.reset();
    this.#runner.reset();
    this.#count = 0;
  }

  close(): void {
    this.#runner.close();
    this.#compiler.close();
  }
}
