import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { compileFunction } from "node:vm";
import type ts from "@tslab/typescript-for-tslab";
import type { createConverter, isCompleteCode } from "tslab/dist/converter.js";
import { packageFolder } from "../../../core/package-folder.js";

export type TypeScript = typeof ts;

export interface Tslab {
  readonly createConverter: typeof createConverter;
  readonly isCompleteCode: typeof isCompleteCode;
}

// `scripts/vendor.mjs` copies the files of both packages here.
const vendor = join(packageFolder, "dist", "vendor");
const converterPath = join(vendor, "tslab", "dist", "converter.js");

/** The TypeScript fork that tslab uses. */
export function loadTypeScript(): TypeScript {
  return createRequire(converterPath)(join(vendor, "typescript", "lib", "typescript.js"));
}

/**
 * Loads tslab's converter on a compiler of our choice.
 *
 * tslab fixes its compiler options and takes no others, so it is given another compiler than the one that it asks for.
 * Each call loads a converter of its own.
 */
export function loadTslab(compiler: object): Tslab {
  const fromConverter = createRequire(converterPath);
  const given: Readonly<Record<string, object>> = { "@tslab/typescript-for-tslab": compiler, semver: { major } };
  const load = compileFunction(readFileSync(converterPath, "utf8"), ["exports", "require", "__dirname"], {
    filename: converterPath,
  });
  const converter = {} as Tslab;
  load(converter, (name: string) => given[name] ?? fromConverter(name), dirname(converterPath));
  return converter;
}

/** The converter asks the package semver for the major version of Node, and for nothing else. */
function major(version: string): number {
  return Number(/\d+/.exec(version)?.[0]);
}
