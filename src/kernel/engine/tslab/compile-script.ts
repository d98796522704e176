import { wrapScript } from "../cell/wrap-script.js";
import type { TypeScript } from "./load-tslab.js";

/** A cell that Node can run, and the map from its lines back to the ES module it was; none where it was a script. */
export interface Script {
  /** See `wrapScript`. */
  readonly code: string;
  readonly sourceMap: string | undefined;
}

/** Turns a cell's ES module, free of imports, into an async function that leaves its names in `exports`. */
export function compileScript(ts: TypeScript, esModule: string): Script {
  const { outputText, sourceMapText = "" } = ts.transpileModule(esModule, {
    fileName: "cell.js",
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, sourceMap: true },
  });
  return { code: wrapScript(outputText), sourceMap: sourceMapText };
}

/** The same for a cell that has nothing of a module. */
export function plainScript(code: string): Script {
  return { code: wrapScript(code), sourceMap: undefined };
}
