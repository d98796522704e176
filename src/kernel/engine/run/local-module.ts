import { fileVersion } from "../cell/file-version.js";
import type { ModuleNamespace } from "./module-names.js";

/** A file that was loaded, or is being loaded. */
export class LocalModule {
  readonly path: string;
  /** See `fileVersion`. */
  version: string | undefined;
  /** What it exports, as far as it has come. */
  names: ModuleNamespace;
  loaded = false;
  readonly #imports = new Set<LocalModule>();
  readonly #waitsFor = new Set<LocalModule>();

  constructor(path: string, names: ModuleNamespace) {
    this.path = path;
    this.version = fileVersion(path);
    this.names = names;
  }

  /** Imports another: gives its names when it is ready, or as they are if it waits for this one. */
  async use(other: LocalModule, done: Promise<unknown>): Promise<ModuleNamespace> {
    this.#imports.add(other);
    if (!other.loaded && other.#isWaitingFor(this)) return other.names;
    this.#waitsFor.add(other);
    try {
      await done;
    } finally {
      this.#waitsFor.delete(other);
    }
    return other.names;
  }

  /** The files, among it and what it imports, that changed since they were loaded, and those that import such a file. */
  outdated(): ReadonlySet<LocalModule> {
    const all = this.#reachable();
    const outdated = new Set([...all].filter(({ loaded, path, version }) => loaded && version !== fileVersion(path)));
    for (let before = -1; before !== outdated.size; ) {
      before = outdated.size;
      for (const module of all) if ([...module.#imports].some((each) => outdated.has(each))) outdated.add(module);
    }
    return outdated;
  }

  #reachable(found = new Set<LocalModule>()): ReadonlySet<LocalModule> {
    if (found.has(this)) return found;
    found.add(this);
    for (const each of this.#imports) each.#reachable(found);
    return found;
  }

  #isWaitingFor(other: LocalModule, seen = new Set<LocalModule>()): boolean {
    if (this === other) return true;
    if (seen.has(this)) return false;
    seen.add(this);
    return [...this.#waitsFor].some((each) => each.#isWaitingFor(other, seen));
  }
}
