import { createRequire } from "node:module";
import type ts from "@tslab/typescript-for-tslab";
import type { createConverter, isCompleteCode } from "tslab/dist/converter.js";

export type TypeScript = typeof ts;

export interface Tslab {
  readonly createConverter: typeof createConverter;
  readonly isCompleteCode: typeof isCompleteCode;
}

const fromHere = createRequire(import.meta.url);
const fromTslab = createRequire(fromHere.resolve("tslab/package.json"));
const compilerPath = fromTslab.resolve("@tslab/typescript-for-tslab");

/** The TypeScript fork that tslab uses. */
export function loadTypeScript(): TypeScript {
  return fromTslab(compilerPath);
}

/**
 * Loads tslab's converter on a compiler of our choice.
 *
 * tslab fixes its compiler options and takes no others, so the compiler is replaced in the module
 * cache for the time of loading. Each call loads a converter of its own.
 */
export function loadTslab(compiler: object): Tslab {
  loadTypeScript();
  const compilerModule = fromTslab.cache[compilerPath];
  if (!compilerModule) throw new Error(`tslab's compiler was not found in the module cache: ${compilerPath}`);
  const original: unknown = compilerModule.exports;
  const converterPath = fromTslab.resolve("./dist/converter.js");
  compilerModule.exports = compiler;
  try {
    delete fromTslab.cache[converterPath];
    return fromTslab(converterPath);
  } finally {
    compilerModule.exports = original;
  }
}

/** Folders whose packages serve notebooks that have none of their own: Siteframe's and tslab's. */
export const ownModuleFiles: readonly string[] = [
  fromHere.resolve("siteframe/package.json"),
  fromHere.resolve("tslab/package.json"),
];
