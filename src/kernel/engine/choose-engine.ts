import { DependencyError } from "../../core/errors.js";
import type { EngineName } from "./cell/engine-name.js";
import { tslabConverter } from "./tslab/load-tslab.js";
import { NoCompilerError, nativeCompiler } from "./typescript/check/native-compiler.js";

/** Availability of each engine. */
export interface Installed {
  /** Throws NoCompilerError if the compiler is missing. */
  readonly typescript: () => unknown;
  /** Throws ArgumentError if tslab is missing. */
  readonly tslab: () => unknown;
}

/** The chosen engine, with a warning for its user. */
export interface EngineChoice {
  readonly engine: EngineName;
  readonly warning?: string;
}

/**
 * Returns the requested engine, or tslab if the platform has no native compiler.
 *
 * @throws DependencyError if tslab is requested but not installed; NoCompilerError if both are missing
 */
export function chooseEngine(
  requested: EngineName,
  { typescript, tslab }: Installed = { typescript: nativeCompiler, tslab: tslabConverter },
): EngineChoice {
  if (requested === "tslab") {
    tslab();
    return { engine: requested };
  }
  try {
    typescript();
    return { engine: requested };
  } catch (error) {
    if (!(error instanceof NoCompilerError)) throw error;
    return {
      engine: insteadOf(error, tslab),
      warning: `${error.message} Siteframe uses tslab instead. ${error.hint ?? ""}`.trim(),
    };
  }
}

function insteadOf(noCompiler: NoCompilerError, tslab: () => unknown): EngineName {
  try {
    tslab();
    return "tslab";
  } catch (error) {
    throw error instanceof DependencyError ? noCompiler : error;
  }
}
