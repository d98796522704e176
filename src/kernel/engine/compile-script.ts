import { resumeName } from "./check-after-await.js";
import { importName, metaName } from "./imports-to-calls.js";
import type { TypeScript } from "./load-tslab.js";

/** A cell that Node can run, and the map from its lines back to the ES module it was. */
export interface Script {
  /** An expression: an async function of `exports`, `require`, the import function, `import.meta` and the check after waiting. */
  readonly code: string;
  readonly sourceMap: string;
}

/** Turns a cell's ES module, free of imports, into an async function that leaves its names in `exports`. */
export function compileScript(ts: TypeScript, esModule: string): Script {
  const { outputText, sourceMapText = "" } = ts.transpileModule(esModule, {
    fileName: "cell.js",
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, sourceMap: true },
  });
  // The inner block lets a cell declare names such as `require` that are parameters outside.
  const code = `(async (exports, require, ${importName}, ${metaName}, ${resumeName}) => {"use strict"; {\n${outputText}\n}})`;
  return { code, sourceMap: sourceMapText };
}
