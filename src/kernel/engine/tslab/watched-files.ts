import { isBuiltin } from "node:module";
import type ts from "@tslab/typescript-for-tslab";
import { fileVersion } from "../cell/file-version.js";

const changed = 1;

type Resolve = (specifier: string) => ts.ResolvedModuleWithFailedLookupLocations;

interface Watched {
  version: string | undefined;
  readonly path: string;
  readonly onChange: ts.FileWatcherCallback;
}

/**
 * Tells the compiler what has changed, when it is asked something: a watcher of the system would tell it some time
 * after. Packages that were found are taken not to change while a notebook runs.
 */
export class WatchedFiles {
  readonly #watched = new Set<Watched>();
  readonly #awaited = new Map<string, () => boolean>();
  #moved = false;

  watch(path: string, onChange: ts.FileWatcherCallback): ts.FileWatcher {
    if (path.includes("/node_modules/")) return { close: () => undefined };
    const watched = { path, onChange, version: fileVersion(path) };
    this.#watched.add(watched);
    return { close: () => this.#watched.delete(watched) };
  }

  /** Remembers which imports of a file mean nothing yet. */
  awaitImports(from: string, specifiers: readonly string[], resolve: Resolve): void {
    const isMissing = (specifier: string) => !isBuiltin(specifier) && !resolve(specifier).resolvedModule;
    const missing = specifiers.filter(isMissing);
    if (missing.length > 0) this.#awaited.set(from, () => !missing.every(isMissing));
    else this.#awaited.delete(from);
  }

  /** True if the imports of a file may mean something else than in the last program. */
  mayHaveMoved(path: string): boolean {
    return this.#moved && !path.includes("/node_modules/");
  }

  /** There is a program that knows all that was seen. */
  settled(): void {
    this.#moved = false;
  }

  /** Looks at each file, and calls back for those that have changed. */
  look(): void {
    for (const watched of this.#watched) {
      const version = fileVersion(watched.path);
      if (version === watched.version) continue;
      if (version === undefined) this.#moved = true;
      watched.version = version;
      watched.onChange(watched.path, changed);
    }
    for (const hasCome of this.#awaited.values()) if (hasCome()) this.#moved = true;
  }
}
