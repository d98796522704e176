import type { LocalFile } from "../../cell/language-engine.js";
import { isPackageFound } from "./is-package-found.js";
import { moduleSpecifiers } from "./module-specifiers.js";

/** Names of files, and imports that `moduleSpecifiers` does not find. */
const mention = /["'`](\.{0,2}\/|\.{1,2}["'`]|file:)|\/\/\/\s*<|\brequire\b|\btypeof\s+import\b|[:<|&=]\s*import\s*\(/;

/**
 * Whether what a cell at `path` means may depend on files that a cell before it writes, or on packages that one installs.
 *
 * @param find a local file for a specifier
 */
export function dependsOnFiles(
  code: string,
  path: string,
  find: (specifier: string) => LocalFile | undefined,
): boolean {
  const isThere = (specifier: string) => find(specifier) === undefined && isPackageFound(specifier, path);
  return mention.test(code) || !moduleSpecifiers(code, path).every(isThere);
}
