import { createRequire } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";
import type { Hold, NameSharing, Share } from "../names/name-sharing.js";
import { knowBuiltins, mendBuiltins } from "./mend-builtins.js";
import type { ModuleNamespace } from "./module-names.js";
import { resolveModule } from "./resolve-module.js";
import { UsingContext } from "./using-context.js";

/** Imports a module for a script. */
export type ImportModule = (specifier: unknown) => Promise<ModuleNamespace>;

/** Lets a value through, or throws if the cell was stopped while it waited for it. */
export type Resume = (value: unknown) => unknown;

/** What a compiled script has around it: the parameters of `wrapScript`, in their order. */
export interface Scope {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly require: NodeJS.Require;
  readonly module: { readonly exports: unknown };
  readonly filename: string;
  readonly dirname: string;
  readonly importModule: ImportModule;
  readonly meta: object;
  readonly resume: Resume;
  /** `exports` again, or what inherits from it. */
  readonly names: Readonly<Record<string, unknown>>;
  /** Helpers of code that was compiled for an older Node. */
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
 * Runs a compiled script under a name, which its stack frames bear.
 *
 * @throws SiteframeError if it replaced what cells cannot be run without
 */
export async function runScript(script: string, name: string, scope: Scope): Promise<void> {
  const run: ScriptFunction = vm.runInThisContext(script, { filename: name, lineOffset: -1 });
  knowBuiltins();
  try {
    await run(...Object.values(scope));
  } finally {
    await mendBuiltins();
  }
}
