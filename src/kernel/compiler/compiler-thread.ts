import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { InterruptError } from "../engine/cell/cell-errors.js";
import type { EngineName } from "../engine/cell/engine-name.js";
import { CompilerLine, type CompilerMethod, compilerOf, type RemoteCompiler } from "./connect-compiler.js";

/** Initial data of the compiler's thread. */
export interface CompilerThreadData {
  readonly port: MessagePort;
  readonly directory: string;
  readonly engine: EngineName;
  /** See `CellLanguage`. */
  readonly state: string;
}

/** How a compiler is started. */
type CompilerThreadOptions = Pick<CompilerThreadData, "directory" | "engine">;

/**
 * A compiler in a separate thread, which starts with the first request. Compilation is synchronous, so an interrupt
 * ends the thread, and another thread continues with the declarations of earlier cells.
 */
class CompilerThread {
  readonly #options: CompilerThreadOptions;
  #worker: Worker | undefined;
  #line: CompilerLine | undefined;

  constructor(options: CompilerThreadOptions) {
    this.#options = options;
  }

  ask(method: CompilerMethod, values: readonly unknown[]): Promise<unknown> {
    if (method === "interrupt") return this.#interrupt();
    this.#line ??= this.#start("");
    return this.#line.ask(method, values);
  }

  async #interrupt(): Promise<void> {
    const line = this.#line;
    if (!line?.isBusy) return;
    void this.#worker?.terminate();
    this.#line = this.#start(line.state);
    line.close(new InterruptError());
  }

  #start(state: string): CompilerLine {
    const { port1, port2: port } = new MessageChannel();
    const workerData: CompilerThreadData = { ...this.#options, port, state };
    // The bundle of this module is in `protocol/`, next to `compiler/`.
    this.#worker = new Worker(new URL("../compiler/compiler-main.js", import.meta.url), {
      workerData,
      transferList: [port],
      // The compiler keeps most objects that it creates, so a larger young generation would waste memory.
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    return new CompilerLine(port1, state);
  }
}

/** A compiler in a separate thread, whose errors are thrown in this thread. */
export function startCompiler(options: CompilerThreadOptions): RemoteCompiler {
  const thread = new CompilerThread(options);
  return compilerOf((method, values) => thread.ask(method, values));
}
