import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import type ts from "@tslab/typescript-for-tslab";
import type { createConverter, isCompleteCode } from "tslab/dist/converter.js";
import { DependencyError } from "../../../core/errors.js";
import { isMissingPackage } from "../../../core/load-package.js";

export type TypeScript = typeof ts;

export interface Tslab {
  readonly createConverter: typeof createConverter;
  readonly isCompleteCode: typeof isCompleteCode;
}

const compilerName = "@tslab/typescript-for-tslab";

/** The TypeScript fork that tslab uses. */
export function loadTypeScript(): TypeScript {
  return createRequire(tslabConverter())(compilerName);
}

/**
 * Loads tslab's converter with a different compiler.
 *
 * tslab fixes its compiler options, so this function replaces the compiler that tslab requires. Each call loads a
 * separate converter.
 */
export function loadTslab(compiler: object): Tslab {
  const path = tslabConverter();
  const fromConverter = createRequire(path);
  const load = compileFunction(readFileSync(path, "utf8"), ["exports", "require", "__dirname"], { filename: path });
  const converter = {} as Tslab;
  load(converter, (name: string) => (name === compilerName ? compiler : fromConverter(name)), besideOwnTypes());
  return converter;
}

/**
 * The file in which the converter looks for Node's types if the notebook has none: in the neighboring folder, here
 * Siteframe's own.
 */
function besideOwnTypes(): string {
  const types = createRequire(import.meta.url).resolve("@types/node/package.json");
  return join(types, "../../../..", "tslab");
}

const converterPath = "tslab/dist/converter.js";

/**
 * Returns the file of tslab's converter. tslab is an optional package.
 *
 * @throws DependencyError with the command to install it if tslab is missing
 */
export function tslabConverter(find: (path: string) => string = createRequire(import.meta.url).resolve): string {
  try {
    return find(converterPath);
  } catch (cause) {
    if (!isMissingPackage(cause, converterPath)) throw cause;
    throw new DependencyError("The engine tslab needs the package tslab, which is not installed.", {
      cause,
      hint: "Run `npm install tslab@1`. Add --global if siteframe is installed globally.",
    });
  }
}
