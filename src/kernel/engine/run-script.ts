import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";
import { createImporter } from "./create-importer.js";

/** Runs a compiled cell under a name, which its stack frames bear. */
export type RunScript = (script: string, name: string, exports: Record<string, unknown>) => Promise<void>;

type CellFunction = (
  exports: Record<string, unknown>,
  require: NodeJS.Require,
  importModule: (specifier: unknown) => Promise<unknown>,
  meta: object,
  resume: Resume,
) => Promise<void>;

/** Lets a value through, or throws if the cell was stopped while it waited for it. */
export type Resume = (value: unknown) => unknown;

/** Prepares the scope that the cells of a notebook in `directory` run in. */
export function createScriptRunner(directory: string, resume: Resume): RunScript {
  const importModule = createImporter(directory);
  const path = join(directory, "cell.ts");
  const require = createRequire(path);
  const meta = { url: pathToFileURL(path).href, dirname: directory, filename: path };

  return (script, name, exports) => {
    const run: CellFunction = vm.runInThisContext(script, { filename: name, lineOffset: -1 });
    return run(exports, require, importModule, meta, resume);
  };
}
