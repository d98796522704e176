import { ArgumentError } from "../../core/errors.js";
import type { EngineName } from "./cell/engine-name.js";
import { tslabConverter } from "./tslab/tslab-converter.js";
import { NoCompilerError, nativeCompiler } from "./typescript/check/native-compiler.js";

/** What is installed for each engine. */
export interface Installed {
  /** Throws NoCompilerError if there is none. */
  readonly typescript: () => unknown;
  /** Throws ArgumentError if there is none. */
  readonly tslab: () => unknown;
}

/** Which engine is taken, and what its user should know. */
export interface EngineChoice {
  readonly engine: EngineName;
  readonly warning?: string;
}

/**
 * The engine that is wanted, or tslab where the platform has no native compiler.
 *
 * @throws ArgumentError if tslab is wanted and not installed; NoCompilerError if neither is
 */
export function chooseEngine(
  wanted: EngineName,
  { typescript, tslab }: Installed = { typescript: nativeCompiler, tslab: tslabConverter },
): EngineChoice {
  if (wanted === "tslab") {
    tslab();
    return { engine: wanted };
  }
  try {
    typescript();
    return { engine: wanted };
  } catch (error) {
    if (!(error instanceof NoCompilerError)) throw error;
    return { engine: insteadOf(error, tslab), warning: `${error.message} tslab is taken. ${error.hint ?? ""}`.trim() };
  }
}

function insteadOf(noCompiler: NoCompilerError, tslab: () => unknown): EngineName {
  try {
    tslab();
    return "tslab";
  } catch (error) {
    throw error instanceof ArgumentError ? noCompiler : error;
  }
}
