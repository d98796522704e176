import { resolve } from "import-meta-resolve";
import { isMissingPackage } from "../../../core/load-package.js";

/**
 * Returns the result of `import.meta.resolve(specifier)` in the module at the URL `parent`. Like imports of cells, it
 * also looks for packages where Siteframe is installed.
 *
 * @throws the error of the import
 */
export function resolveModule(specifier: string, parent: string): string {
  try {
    return resolve(specifier, parent);
  } catch (error) {
    if (!lacksPackageOf(error, specifier)) throw error;
    return resolveHere(specifier, error);
  }
}

function resolveHere(specifier: string, error: unknown): string {
  try {
    return resolve(specifier, import.meta.url);
  } catch (localError) {
    throw lacksPackageOf(localError, specifier) ? error : localError;
  }
}

/** True if the package of `specifier` itself is missing, rather than one of its imports. */
export function lacksPackageOf(error: unknown, specifier: string): boolean {
  if (specifier.startsWith(".") || specifier.startsWith("/")) return false;
  return isMissingPackage(error, specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/"));
}
