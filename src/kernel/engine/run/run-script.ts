import { createRequire } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";
import type { Hold, NameSharing, Share } from "../names/name-sharing.js";
import { patchBuiltins, recordBuiltins } from "./patch-builtins.js";
import { resolveModule } from "./resolve-module.js";

/** A value that is disposed of when its block ends. */
interface Resource {
  readonly isAsync: boolean;
  dispose(): unknown;
}

/**
 * Implements `using` and `await using` for versions of Node without them, under oxc's names: `u` and `a` register a
 * value, `e` is the error that the block ended with, and `d` disposes of all values, last first.
 */
export class UsingContext {
  readonly #resources: Resource[] = [];
  #error: { readonly value: unknown } | undefined;

  set e(error: unknown) {
    this.#error = { value: error };
  }

  /** `using` */
  u<Value>(value: Value): Value {
    if (value !== null && value !== undefined) this.#add(value, [Symbol.dispose], false);
    return value;
  }

  /** `await using` */
  a<Value>(value: Value): Value {
    if (value !== null && value !== undefined) this.#add(value, [Symbol.asyncDispose, Symbol.dispose], true);
    else this.#resources.push({ isAsync: true, dispose: () => undefined });
    return value;
  }

  /** Throws, or rejects with, the error of the block or of disposing. */
  d(): unknown {
    return this.#resources.some(({ isAsync }) => isAsync) ? this.#disposeAsync() : this.#dispose();
  }

  #add(value: unknown, symbols: readonly symbol[], isAsync: boolean): void {
    const methods: readonly unknown[] = symbols.map((symbol) => Reflect.get(Object(value), symbol));
    const method = methods.find((each) => each !== null && each !== undefined);
    if (typeof method !== "function") throw new TypeError("The value of `using` cannot be disposed of.");
    this.#resources.push({ isAsync, dispose: () => Reflect.apply(method, value, []) });
  }

  #dispose(): void {
    for (const resource of this.#resources.splice(0).reverse()) {
      try {
        resource.dispose();
      } catch (error) {
        this.#suppress(error);
      }
    }
    this.#throw();
  }

  async #disposeAsync(): Promise<void> {
    for (const { isAsync, dispose } of this.#resources.splice(0).reverse()) {
      try {
        const disposed = dispose();
        if (isAsync) await disposed;
      } catch (error) {
        this.#suppress(error);
      }
    }
    this.#throw();
  }

  /** As the language specifies, an error of disposing holds the earlier error. */
  #suppress(error: unknown): void {
    if (!this.#error) {
      this.#error = { value: error };
      return;
    }
    const message = "An error was suppressed during disposal.";
    const suppressed = this.#error.value;
    this.#error = { value: Object.assign(new Error(message), { name: "SuppressedError", error, suppressed }) };
  }

  #throw(): void {
    if (this.#error) throw this.#error.value;
  }
}

/** A module's namespace: its exports by name. */
export type ModuleNamespace = Readonly<Record<string, unknown>>;

/** Imports a module for a script. */
export type ImportModule = (specifier: unknown) => Promise<ModuleNamespace>;

/** Returns a value, or throws if the cell was stopped while it waited for it. */
export type Resume = (value: unknown) => unknown;

/** Variables around a compiled script: the parameters of `wrapScript`, in order. */
export interface Scope {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly require: NodeJS.Require;
  readonly module: { readonly exports: unknown };
  readonly filename: string;
  readonly dirname: string;
  readonly importModule: ImportModule;
  readonly meta: object;
  readonly resume: Resume;
  /** `exports`, or an object that inherits from it. */
  readonly names: Readonly<Record<string, unknown>>;
  /** Helpers of code compiled for an older Node. */
  readonly helpers: { readonly usingCtx: () => UsingContext };
  readonly share: Share;
  readonly hold: Hold;
}

const helpers = { usingCtx: () => new UsingContext() };

type ScriptFunction = (...scope: readonly unknown[]) => Promise<void>;

/** The scope of a script at `path`. */
export function createScope(
  path: string,
  exports: Readonly<Record<string, unknown>>,
  importModule: ImportModule,
  resume: Resume,
  { share, hold }: NameSharing,
): Scope {
  const url = pathToFileURL(path).href;
  const resolve = (specifier: unknown, parent: unknown = url) => resolveModule(String(specifier), String(parent));
  const meta = { url, dirname: dirname(path), filename: path, resolve };
  return {
    ...{ exports, require: createRequire(path), module: { exports }, filename: path, dirname: dirname(path) },
    ...{ importModule, meta, resume, names: exports, helpers, share, hold },
  };
}

/**
 * Runs a compiled script under a name, which appears in its stack frames.
 *
 * @param onBegin called before its first statement, unless it cannot be compiled
 * @throws SiteframeError if it broke built-ins that cells need
 */
export async function runScript(
  script: string,
  name: string,
  scope: Scope,
  onBegin: () => void = () => undefined,
): Promise<void> {
  const run: ScriptFunction = vm.runInThisContext(script, { filename: name, lineOffset: -1 });
  recordBuiltins();
  onBegin();
  try {
    await run(...Object.values(scope));
  } finally {
    await patchBuiltins();
  }
}
