import { resolve } from "node:path";
import type { LanguageEngine } from "./cell/language-engine.js";

/** Options of `createEngine`. */
export interface EngineOptions {
  /** The folder of the notebook, from which modules are resolved. By default the working directory. */
  readonly directory?: string;
}

/**
 * Starts the language engine. It captures the process's output streams and its uncaught errors until `close()`,
 * but only those of cells.
 */
export async function createEngine({ directory = process.cwd() }: EngineOptions = {}): Promise<LanguageEngine> {
  const { TslabEngine } = await import("./tslab-engine.js");
  return new TslabEngine(resolve(directory));
}
