import type ts from "@tslab/typescript-for-tslab";
import { fileVersion } from "./file-version.js";

const changed = 1;

interface Watched {
  version: string | undefined;
  readonly path: string;
  readonly onChange: ts.FileWatcherCallback;
}

/** True if a file may change while a notebook runs, and with it what it imports. */
export function isLocalSource(path: string): boolean {
  return !path.includes("/node_modules/") && !path.endsWith(".d.ts");
}

/**
 * Tells the compiler which files have changed, when it is asked something: a watcher of the system would tell it some
 * time after. Packages are taken not to change while a notebook runs.
 */
export class WatchedFiles {
  readonly #watched = new Set<Watched>();

  watch(path: string, onChange: ts.FileWatcherCallback): ts.FileWatcher {
    if (path.includes("/node_modules/")) return { close: () => undefined };
    const watched = { path, onChange, version: fileVersion(path) };
    this.#watched.add(watched);
    return { close: () => this.#watched.delete(watched) };
  }

  /** Looks at each file, and calls back for those that have changed. */
  look(): void {
    for (const watched of this.#watched) {
      const version = fileVersion(watched.path);
      if (version === watched.version) continue;
      watched.version = version;
      watched.onChange(watched.path, changed);
    }
  }
}
