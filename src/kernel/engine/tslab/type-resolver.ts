import { isBuiltin } from "node:module";
import { join } from "node:path";
import type ts from "@tslab/typescript-for-tslab";
import { packageFolder } from "../../../core/package-folder.js";
import { farFile } from "./far-types.js";
import type { TypeScript } from "./load-tslab.js";

const ownFile = join(packageFolder, "package.json");

type Resolution = ts.ResolvedModuleWithFailedLookupLocations;

/** Finds the declarations of a module for the compiler. */
export type TypeResolver = (specifier: string, containingFile: string, options: ts.CompilerOptions) => Resolution;

/**
 * Finds a module's declarations as Node would find its code: by `exports`, from the notebook's folder, then from
 * Siteframe's. Last, any file of a package will do, because the compiler itself names types by their files
 * when one cell's types are handed to the next.
 */
export function createTypeResolver(ts: TypeScript, host: ts.ModuleResolutionHost): TypeResolver {
  const { Bundler, Node10 } = ts.ModuleResolutionKind;

  const resolve: TypeResolver = (specifier, containingFile, options) => {
    const far = farFile(specifier);
    if (far !== undefined) return declarationFile(far);
    const from = (file: string, moduleResolution: ts.ModuleResolutionKind) =>
      ts.resolveModuleName(specifier, file, { ...options, moduleResolution }, host);
    const found = from(containingFile, Bundler);
    if (found.resolvedModule || specifier.startsWith(".")) return found;
    const attempts = [() => from(containingFile, Node10), () => from(ownFile, Bundler)];
    for (const attempt of attempts) {
      const result = attempt();
      if (result.resolvedModule) return result;
    }
    return found;
  };

  return exceptBuiltins(rememberPackages(resolve));
}

function declarationFile(resolvedFileName: string): ts.ResolvedModuleWithFailedLookupLocations {
  const extension = /(\.d)?\.[^./]+$/.exec(resolvedFileName)?.[0] ?? "";
  return { resolvedModule: { resolvedFileName, extension, isExternalLibraryImport: true } as ts.ResolvedModuleFull };
}

/** What a package imports does not change while a notebook runs; the notebook's own folder may. */
function rememberPackages(resolve: TypeResolver): TypeResolver {
  const known = new Map<string, Resolution>();
  return (specifier, containingFile, options) => {
    if (!containingFile.includes("/node_modules/")) return resolve(specifier, containingFile, options);
    const key = `${containingFile}\n${specifier}`;
    const resolution = known.get(key) ?? resolve(specifier, containingFile, options);
    known.set(key, resolution);
    return resolution;
  };
}

/** Node's own modules are declared by name in `@types/node`; looking for files would be in vain. */
function exceptBuiltins(resolve: TypeResolver): TypeResolver {
  return (specifier, ...rest) => (isBuiltin(specifier) ? { resolvedModule: undefined } : resolve(specifier, ...rest));
}
