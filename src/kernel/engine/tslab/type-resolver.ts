import { isBuiltin } from "node:module";
import { join, sep } from "node:path";
import type ts from "@tslab/typescript-for-tslab";
import { packageFolder } from "../../../core/package-folder.js";
import { fileVersion } from "../cell/local-files.js";
import type { TypeScript } from "./load-tslab.js";

const ownFile = join(packageFolder, "package.json");

type Resolution = ts.ResolvedModuleWithFailedLookupLocations;

/** Finds the declarations of a module for the compiler. */
export type TypeResolver = (specifier: string, containingFile: string, options: ts.CompilerOptions) => Resolution;

/**
 * Finds a module's declarations as Node would find its code: by `exports`, from the notebook's folder, then from
 * Siteframe's. As a last resort, accepts any file of a package, because the compiler itself names types by their files
 * when it passes types from one cell to the next.
 */
export function createTypeResolver(ts: TypeScript, host: ts.ModuleResolutionHost): TypeResolver {
  const { Bundler, Node10 } = ts.ModuleResolutionKind;

  const resolve: TypeResolver = (specifier, containingFile, options) => {
    const far = farFile(specifier);
    if (far !== undefined) return declarationFile(far);
    const from = (file: string, moduleResolution: ts.ModuleResolutionKind) =>
      ts.resolveModuleName(specifier, file, { ...options, moduleResolution }, host);
    const resolution = from(containingFile, Bundler);
    if (resolution.resolvedModule || specifier.startsWith(".")) return resolution;
    const attempts = [() => from(containingFile, Node10), () => from(ownFile, Bundler)];
    for (const attempt of attempts) {
      const result = attempt();
      if (result.resolvedModule) return result;
    }
    return resolution;
  };

  return exceptBuiltins(rememberPackages(resolve));
}

function declarationFile(resolvedFileName: string): ts.ResolvedModuleWithFailedLookupLocations {
  const [extension] = /(\.d)?\.[^./]+$/.exec(resolvedFileName) as RegExpExecArray;
  return { resolvedModule: { resolvedFileName, extension, isExternalLibraryImport: true } as ts.ResolvedModuleFull };
}

/** Imports of packages are assumed constant while a notebook runs; the notebook's own folder may change. */
function rememberPackages(resolve: TypeResolver): TypeResolver {
  const resolutions = new Map<string, Resolution>();
  return (specifier, containingFile, options) => {
    if (!containingFile.includes("/node_modules/")) return resolve(specifier, containingFile, options);
    const key = `${containingFile}\n${specifier}`;
    const resolution = resolutions.get(key) ?? resolve(specifier, containingFile, options);
    resolutions.set(key, resolution);
    return resolution;
  };
}

/** Node's own modules are declared by name in `@types/node`, so no search for files is needed. */
function exceptBuiltins(resolve: TypeResolver): TypeResolver {
  return (specifier, ...rest) => (isBuiltin(specifier) ? { resolvedModule: undefined } : resolve(specifier, ...rest));
}

const scheme = "siteframe-types:";
const folder = "/node_modules/";
/** The group is the package, with its scope. */
const farNames = new RegExp(`${scheme}[^"']*//((?:@[^/"']+/)?[^/"']+)[^"']*`, "g");

/**
 * Names for files of packages that a notebook in `directory` cannot reach, such as those of Siteframe's own packages.
 * The types of one cell are passed to the next as text, in which the compiler writes `any` for a type that it can only
 * name by a path through such a folder.
 */
export function nameFarFiles(directory: string, files: readonly ts.SourceFile[]): void {
  for (const file of files) {
    if (file.moduleName === undefined && isFar(directory, file.fileName)) {
      file.moduleName = scheme + file.fileName.replaceAll(folder, "//");
    }
  }
}

/** The file that a name of `nameFarFiles` refers to. */
function farFile(specifier: string): string | undefined {
  return specifier.startsWith(scheme) ? specifier.slice(scheme.length).replaceAll("//", folder) : undefined;
}

/** A compiler message with the names of packages instead of such files. */
export function namePackages(message: string): string {
  return message.replace(farNames, "$1");
}

/** Packages are in the `node_modules` folders next to and above the notebook. */
function isFar(directory: string, fileName: string): boolean {
  const at = fileName.lastIndexOf(folder);
  if (at === -1) return false;
  const owner = fileName.slice(0, at);
  return !`${directory.replaceAll(sep, "/")}/`.startsWith(`${owner}/`);
}

const changed = 1;

type Resolve = (specifier: string) => ts.ResolvedModuleWithFailedLookupLocations;

interface Watched {
  version: string | undefined;
  readonly path: string;
  readonly onChange: ts.FileWatcherCallback;
}

/**
 * Notifies the compiler of changed files before each request: a file watcher would report changes too late. Packages
 * that were found are assumed constant while a notebook runs.
 */
export class WatchedFiles {
  readonly #watched = new Set<Watched>();
  readonly #awaited = new Map<string, () => boolean>();
  #moved = false;

  watch(path: string, onChange: ts.FileWatcherCallback): ts.FileWatcher {
    if (path.includes("/node_modules/")) return { close: () => undefined };
    const watched = { path, onChange, version: fileVersion(path) };
    this.#watched.add(watched);
    return { close: () => this.#watched.delete(watched) };
  }

  /** Records which imports of a file are unresolved. */
  awaitImports(from: string, specifiers: readonly string[], resolve: Resolve): void {
    const isMissing = (specifier: string) => !isBuiltin(specifier) && !resolve(specifier).resolvedModule;
    const missing = specifiers.filter(isMissing);
    if (missing.length > 0) this.#awaited.set(from, () => !missing.every(isMissing));
    else this.#awaited.delete(from);
  }

  /** True if imports of a file may resolve differently than in the last program. */
  mayHaveMoved(path: string): boolean {
    return this.#moved && !path.includes("/node_modules/");
  }

  /** Called when a program includes every file seen so far. */
  settled(): void {
    this.#moved = false;
  }

  /** Checks each file, and calls back for the changed files. */
  look(): void {
    for (const watched of this.#watched) {
      const version = fileVersion(watched.path);
      if (version === watched.version) continue;
      if (version === undefined) this.#moved = true;
      watched.version = version;
      watched.onChange(watched.path, changed);
    }
    for (const hasCome of this.#awaited.values()) if (hasCome()) this.#moved = true;
  }
}
