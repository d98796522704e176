import { ArgumentError } from "../../core/errors.js";
import type { Danfo } from "./danfo-frame.js";

/** Loads a package by name. */
export type Load = (name: string) => Promise<unknown>;

/**
 * Loads Danfo: `danfojs-node`, or `danfojs` where that is what is installed.
 *
 * @throws ArgumentError if neither is installed, saying what to install
 */
export async function loadDanfo(load: Load = (name) => import(name)): Promise<Danfo> {
  for (const name of ["danfojs-node", "danfojs"]) {
    try {
      const loaded = (await load(name)) as Danfo & { readonly default?: Danfo };
      return loaded.default ?? loaded;
    } catch (error) {
      if (!isMissing(error, name)) throw error;
    }
  }
  throw new ArgumentError("toDanfo() needs the package danfojs-node, which is not installed.", {
    hint: "Run `npm install danfojs-node` (or `danfojs`) beside siteframe.",
  });
}

function isMissing(error: unknown, name: string): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") && String(message).includes(`'${name}'`);
}
