import { resolve } from "node:path";
import { type EngineName, engineNames } from "./cell/engine-name.js";
import type { LanguageEngine } from "./cell/language-engine.js";
import { createLanguage } from "./create-language.js";

/** Options of `createEngine`. */
export interface EngineOptions {
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
  const { LocalEngine } = await import("./local-engine.js");
  return new LocalEngine(folder, language);
}
