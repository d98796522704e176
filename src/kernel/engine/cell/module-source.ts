import type { Awaitable } from "./awaitable.js";

/** A file beside a notebook that a module specifier stands for. */
export interface LocalFile {
  readonly path: string;
  /** `javascript` is loaded by Node itself. */
  readonly kind: "typescript" | "json" | "javascript";
}

/** A TypeScript file that is ready to run. Plain data, so that it can be sent to another thread. */
export interface CompiledModule {
  readonly path: string;
  /** See `fileVersion`. */
  readonly version: string | undefined;
  readonly code: string;
  /** See `wrapScript`. */
  readonly script: string;
  /** From the script back to the file, step by step, as JSON. */
  readonly sourceMaps: readonly string[];
}

/** What became of a file before it runs. */
export type ModuleCompilation =
  | { readonly status: "ok"; readonly module: CompiledModule }
  | { readonly status: "error"; readonly message: string };

/** Finds and compiles modules for those who run them. */
export interface ModuleSource {
  /** What `specifier` means in the file `from`, if it is a local file. */
  findModule(specifier: string, from: string): Awaitable<LocalFile | undefined>;
  compileModule(path: string): Awaitable<ModuleCompilation>;
}
