import { join } from "node:path";
import vm from "node:vm";
import { lacksPackageOf } from "./lacks-package-of.js";
import { type ModuleNamespace, moduleNames } from "./module-names.js";

/** Imports a module through Node. */
export type Importer = (specifier: string) => Promise<ModuleNamespace>;

type NativeImport = (specifier: string, options: ImportCallOptions) => Promise<Record<string, unknown>>;

/**
 * Imports ES and CommonJS modules as seen from `directory`. A package that is not installed there is
 * looked for where Siteframe is installed, so that a notebook anywhere can import `siteframe`.
 */
export function createImporter(directory: string): Importer {
  const importThere: NativeImport = vm.runInThisContext("(specifier, options) => import(specifier, options)", {
    filename: join(directory, "cell.mjs"),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const importHere: NativeImport = (specifier, options) => import(specifier, options);

  const importAnywhere: Importer = async (name) => {
    const options: ImportCallOptions = name.endsWith(".json") ? { with: { type: "json" } } : {};
    try {
      return moduleNames(await importThere(name, options));
    } catch (error) {
      if (!lacksPackageOf(error, name)) throw error;
      return moduleNames(
        await importHere(name, options).catch((own) => Promise.reject(lacksPackageOf(own, name) ? error : own)),
      );
    }
  };
  return async (name) => {
    const names = await importAnywhere(name);
    // The verbs of our copy of Arquero take any function of rows once this is loaded, whoever imports it.
    if (name === "arquero") await importHere("siteframe/arquero", {});
    return names;
  };
}
