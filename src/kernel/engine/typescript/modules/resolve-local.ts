import { statSync } from "node:fs";
import { dirname, extname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { LocalFile } from "../../cell/language-engine.js";
import { localFile } from "../../cell/local-files.js";
import type { PathPattern } from "../check/notebook-options.js";

/** Extensions of sources that are imported by the name of their output. */
const sourceExtensions: Readonly<Record<string, readonly string[]>> = {
  ".js": [".ts", ".tsx", ".js", ".jsx"],
  ".jsx": [".tsx", ".jsx"],
  ".mjs": [".mts", ".mjs"],
  ".cjs": [".cts", ".cjs"],
};
/** Extensions that a path may omit. */
const impliedExtensions = [".ts", ".tsx", ".js", ".jsx", ".json"];

/** Resolves a specifier of a local file, as the compiler does; `undefined` leaves it to Node. */
export function resolveLocal(specifier: string, from: string, patterns: readonly PathPattern[]): LocalFile | undefined {
  const path = specifier.startsWith("file:") ? fileURLToPath(specifier) : specifier;
  const isPath = isAbsolute(path) || /^\.\.?($|\/)/.test(path);
  const candidates = isPath ? [resolve(dirname(from), path)] : mapped(path, patterns);
  const file = candidates.flatMap(filesAt).find(isFile);
  if (file === undefined || /[\\/]node_modules[\\/]/.test(file)) return undefined;
  return localFile(file);
}

/** The target of the best matching pattern: the one without a `*`, otherwise the one with the longest prefix. */
function mapped(specifier: string, patterns: readonly PathPattern[]): readonly string[] {
  const fitting = patterns.flatMap(({ pattern, targets }) => {
    const star = starOf(pattern, specifier);
    const length = pattern.includes("*") ? pattern.indexOf("*") : Number.POSITIVE_INFINITY;
    return star === undefined ? [] : [{ length, paths: targets.map((target) => target.replace("*", () => star)) }];
  });
  return fitting.sort((a, b) => b.length - a.length).at(0)?.paths ?? [];
}

function starOf(pattern: string, specifier: string): string | undefined {
  const at = pattern.indexOf("*");
  if (at === -1) return pattern === specifier ? "" : undefined;
  const [before, after] = [pattern.slice(0, at), pattern.slice(at + 1)];
  const fits = specifier.startsWith(before) && specifier.endsWith(after) && specifier.length >= pattern.length - 1;
  return fits ? specifier.slice(before.length, specifier.length - after.length) : undefined;
}

function filesAt(path: string): readonly string[] {
  const extension = extname(path);
  const stem = path.slice(0, path.length - extension.length);
  const named = (sourceExtensions[extension] ?? []).map((each) => stem + each);
  const more = impliedExtensions.map((each) => path + each);
  const index = impliedExtensions.map((each) => join(path, `index${each}`));
  return [...named, path, ...more, ...index];
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
