import { ArgumentError } from "../../core/errors.js";
import { isMissingPackage } from "../../core/is-missing-package.js";
import type { Danfo, DanfoFrame } from "./danfo-frame.js";

/** Loads a package by name. */
export type Load = (name: string) => Promise<unknown>;

/**
 * Loads Danfo: `danfojs-node`, or `danfojs` where that is what is installed.
 *
 * @throws ArgumentError if neither is installed, saying what to install
 */
export async function loadDanfo<Frame extends object = DanfoFrame>(
  load: Load = (name) => import(name),
): Promise<Danfo<Frame>> {
  for (const name of ["danfojs-node", "danfojs"]) {
    try {
      const loaded = (await load(name)) as Danfo<Frame> & { readonly default?: Danfo<Frame> };
      return loaded.default ?? loaded;
    } catch (error) {
      if (!isMissingPackage(error, name)) throw error;
    }
  }
  throw new ArgumentError("toDanfo() needs the package danfojs-node, which is not installed.", {
    hint: "Run `npm install danfojs-node` (or `danfojs`) beside siteframe.",
  });
}
