import { isBuiltin } from "node:module";
import { pathToFileURL } from "node:url";
import type { LocalFile } from "../../cell/language-engine.js";
import { resolveModule } from "../../run/resolve-module.js";
import { parseModule } from "../analyze/syntax.js";

/** The module specifiers in code that are constants. */
export function moduleSpecifiers(code: string, fileName: string): readonly string[] {
  const { staticImports, staticExports, dynamicImports } = parseModule(fileName, code).module;
  const dynamic = dynamicImports.map(({ moduleRequest: { start, end } }) => code.slice(start, end));
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
    ...dynamic.flatMap((text) => /^(["'`])([^\\$]*)\1$/.exec(text)?.[2] ?? []),
  ];
}

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

/** Names of files, and imports that `moduleSpecifiers` does not find. */
const mention = /["'`](\.{0,2}\/|\.{1,2}["'`]|file:)|\/\/\/\s*<|\brequire\b|\btypeof\s+import\b|[:<|&=]\s*import\s*\(/;

/**
 * Whether the meaning of a cell at `path` may depend on files that an earlier cell writes, or on packages that it
 * installs.
 *
 * @param find returns the local file of a specifier
 */
export function dependsOnFiles(
  code: string,
  path: string,
  find: (specifier: string) => LocalFile | undefined,
): boolean {
  const isThere = (specifier: string) => find(specifier) === undefined && isPackageFound(specifier, path);
  return mention.test(code) || !moduleSpecifiers(code, path).every(isThere);
}
