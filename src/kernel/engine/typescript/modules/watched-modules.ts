import { readFileSync } from "node:fs";
import type { LocalFile } from "../../cell/language-engine.js";
import { fileVersion } from "../../cell/local-files.js";
import type { FileChange } from "../check/compiler-documents.js";
import { moduleSpecifiers } from "./module-specifiers.js";

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
