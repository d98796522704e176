import type { EngineName } from "./cell/engine-name.js";
import type { CellLanguage } from "./cell/language-engine.js";
import { chooseEngine } from "./choose-engine.js";
import type { CheckerOptions } from "./typescript/check/compiler-documents.js";
import { removeStaleFolders } from "./typescript/check/stale-folders.js";

/**
 * Starts the language of the cells of a notebook in `directory`. Falls back to tslab, with a warning.
 *
 * @throws see `chooseEngine`
 */
export async function createLanguage(
  directory: string,
  requested: EngineName,
  { isBrief = false, state = "" }: Pick<CheckerOptions, "isBrief"> & Pick<CellLanguage, "state"> = {},
): Promise<CellLanguage> {
  const { engine, warning } = chooseEngine(requested);
  if (engine === "tslab") {
    const { CellCompiler } = await import("./tslab/cell-compiler.js");
    return withWarning(new CellCompiler(directory, state), warning);
  }
  removeStaleFolders();
  const { TypeScriptLanguage } = await import("./typescript/typescript-language.js");
  return new TypeScriptLanguage(directory, { isBrief });
}

function withWarning(language: CellLanguage, warning: string | undefined): CellLanguage {
  if (warning === undefined) return language;
  const warnings = language.warnings.bind(language);
  return Object.assign(language, { warnings: async () => [warning, ...(await warnings())] });
}
