import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { pathToFileURL } from "node:url";
import type { LocalFile } from "../../cell/language-engine.js";
import { fileVersion } from "../../cell/local-files.js";
import { resolveModule } from "../../run/resolve-module.js";
import { parseModule } from "../analyze/syntax.js";
import type { FileChange } from "../check/compiler-documents.js";

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

const [created, changed, deleted] = [1, 2, 3] as const;

/** Returns the local file of a specifier in a file. */
type Find = (specifier: string, from: string) => LocalFile | undefined;

/**
 * Finds the changed files among the files that cells import, directly or indirectly, before each request: a file
 * watcher would report changes too late.
 */
export class WatchedModules {
  readonly #find: Find;
  readonly #versions = new Map<string, string | undefined>();
  /** Unresolved imports, by specifier and importing file. */
  readonly #missing = new Map<string, { readonly specifier: string; readonly from: string }>();

  constructor(find: Find) {
    this.#find = find;
  }

  /** Registers the imports of a file. */
  add(specifiers: readonly string[], from: string): void {
    for (const specifier of specifiers) {
      const file = this.#find(specifier, from);
      if (file) this.#watch(file);
      else if (/^\.|^\/|^file:/.test(specifier)) this.#missing.set(`${from}\n${specifier}`, { specifier, from });
    }
  }

  /** Changes since the last check. */
  look(): readonly FileChange[] {
    const changes = [...this.#versions].flatMap(([path, version]): readonly FileChange[] => {
      const now = fileVersion(path);
      if (now === version) return [];
      this.#versions.delete(path);
      if (now === undefined) {
        this.#missing.set(path, { specifier: path, from: path });
        return [{ path, type: deleted }];
      }
      this.#watchFile(path);
      return [{ path, type: changed }];
    });
    return [...changes, ...this.#come()];
  }

  #come(): readonly FileChange[] {
    return [...this.#missing].flatMap(([key, { specifier, from }]): readonly FileChange[] => {
      const file = this.#find(specifier, from);
      if (!file) return [];
      this.#missing.delete(key);
      this.#watch(file);
      return [{ path: file.path, type: created }];
    });
  }

  #watch({ path, kind }: LocalFile): void {
    if (this.#versions.has(path)) return;
    if (kind === "json") this.#versions.set(path, fileVersion(path));
    else this.#watchFile(path);
  }

  #watchFile(path: string): void {
    this.#versions.set(path, fileVersion(path));
    if (path.endsWith(".json")) return;
    try {
      this.add(moduleSpecifiers(readFileSync(path, "utf8"), path), path);
    } catch {
      // A file deleted meanwhile is found to be missing at the next check.
    }
  }
}
