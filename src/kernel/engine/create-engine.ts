import { resolve } from "node:path";
import { type EngineName, engineNames } from "./cell/engine-name.js";
import type { LanguageEngine } from "./cell/language-engine.js";
import { createLanguage } from "./create-language.js";

/** Options of `createEngine`. */
export interface EngineOptions {
  /** The folder of the notebook, from which modules are resolved. By default the working directory. */
  readonly directory?: string;
  /** By default the first one of `engineNames`. */
  readonly engine?: EngineName;
  /** Whether it ends after some cells, so that its compiler rather takes memory than time. Default false. */
  readonly isBrief?: boolean;
}

/**
 * Starts the language engine. It captures the process's output streams and its uncaught errors until `close()`,
 * but only those of cells.
 */
export async function createEngine({
  directory = process.cwd(),
  engine = engineNames[0],
  isBrief = false,
}: EngineOptions = {}): Promise<LanguageEngine> {
  const folder = resolve(directory);
  const language = await createLanguage(folder, engine, { isBrief });
  // Loaded while the compiler, a process of its own, reads its libraries.
  const { LocalEngine } = await import("./local-engine.js");
  return new LocalEngine(folder, language);
}
