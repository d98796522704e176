import { sep } from "node:path";
import type ts from "@tslab/typescript-for-tslab";

const scheme = "siteframe-types:";
const folder = "/node_modules/";
/** The group is the package, with its scope. */
const farNames = new RegExp(`${scheme}[^"']*//((?:@[^/"']+/)?[^/"']+)[^"']*`, "g");

/**
 * Names for the files of packages that a notebook in `directory` cannot reach, such as those of Siteframe's own
 * packages. The types of one cell are handed to the next as text, in which the compiler writes `any` for a type that
 * it can only name by a path through such a folder.
 */
export function nameFarFiles(directory: string, files: readonly ts.SourceFile[]): void {
  for (const file of files) {
    if (file.moduleName === undefined && isFar(directory, file.fileName)) {
      file.moduleName = scheme + file.fileName.replaceAll(folder, "//");
    }
  }
}

/** The file that a name of `nameFarFiles` stands for. */
export function farFile(specifier: string): string | undefined {
  return specifier.startsWith(scheme) ? specifier.slice(scheme.length).replaceAll("//", folder) : undefined;
}

/** A message of the compiler's in which such files are called by the packages that they are of. */
export function namePackages(message: string): string {
  return message.replace(farNames, "$1");
}

/** Packages are found in the folders `node_modules` beside and above the notebook. */
function isFar(directory: string, fileName: string): boolean {
  const at = fileName.lastIndexOf(folder);
  if (at === -1) return false;
  const owner = fileName.slice(0, at);
  return !`${directory.replaceAll(sep, "/")}/`.startsWith(`${owner}/`);
}
