import { isBuiltin } from "node:module";
import { pathToFileURL } from "node:url";
import { resolveModule } from "../../run/resolve-module.js";

/** Whether a file, or a cell, at `path` can import a package when it runs. */
export function isPackageFound(specifier: string, path: string): boolean {
  if (isBuiltin(specifier)) return true;
  try {
    resolveModule(specifier, pathToFileURL(path).href);
    return true;
  } catch {
    return false;
  }
}
