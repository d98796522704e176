import { isMissingPackage } from "../../../core/load-package.js";

/** True if the package that `specifier` is of was not found itself, as opposed to something that it imports. */
export function lacksPackageOf(error: unknown, specifier: string): boolean {
  if (specifier.startsWith(".") || specifier.startsWith("/")) return false;
  return isMissingPackage(error, specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/"));
}
