import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, isAbsolute, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";
import { readSafely } from "../../../core/show-value.js";
import type { CompiledModule, ModuleSource } from "../cell/language-engine.js";
import { fileVersion } from "../cell/local-files.js";
import { NameSharing } from "../names/name-sharing.js";
import { lacksPackageOf, resolveModule } from "./resolve-module.js";
import { createScope, type ModuleNamespace, type Resume, runScript } from "./run-script.js";

/** A file that was loaded, or is being loaded. */
class LocalModule {
  readonly path: string;
  /** See `fileVersion`. */
  version: string | undefined;
  /** Its exports so far. */
  names: ModuleNamespace;
  loaded = false;
  readonly #imports = new Set<LocalModule>();
  readonly #waitsFor = new Set<LocalModule>();

  constructor(path: string, names: ModuleNamespace) {
    this.path = path;
    this.version = fileVersion(path);
    this.names = names;
  }

  /** Imports another file. Returns its names when it is ready, or as they are if it waits for this file. */
  async use(other: LocalModule, done: Promise<unknown>): Promise<ModuleNamespace> {
    this.#imports.add(other);
    if (!other.loaded && other.#isWaitingFor(this)) return other.names;
    this.#waitsFor.add(other);
    try {
      await done;
    } finally {
      this.#waitsFor.delete(other);
    }
    return other.names;
  }

  /** The changed files among this file and its imports, with the files that import them. */
  outdated(): ReadonlySet<LocalModule> {
    const all = this.#reachable();
    const outdated = new Set([...all].filter(({ loaded, path, version }) => loaded && version !== fileVersion(path)));
    for (let before = -1; before !== outdated.size; ) {
      before = outdated.size;
      for (const module of all) if ([...module.#imports].some((each) => outdated.has(each))) outdated.add(module);
    }
    return outdated;
  }

  #reachable(reached = new Set<LocalModule>()): ReadonlySet<LocalModule> {
    if (reached.has(this)) return reached;
    reached.add(this);
    for (const each of this.#imports) each.#reachable(reached);
    return reached;
  }

  #isWaitingFor(other: LocalModule, seen = new Set<LocalModule>()): boolean {
    if (this === other) return true;
    if (seen.has(this)) return false;
    seen.add(this);
    return [...this.#waitsFor].some((each) => each.#isWaitingFor(other, seen));
  }
}

/** Dependencies of a loader. */
export interface LoaderParts {
  readonly directory: string;
  readonly source: ModuleSource;
  readonly resume: Resume;
  /** Called before a module runs, with its name in stack frames. */
  onCompiled(name: string, module: CompiledModule): void;
}

interface Loading {
  readonly module: LocalModule;
  readonly done: Promise<void>;
}

/**
 * Loads modules for cells: local TypeScript and JSON files itself, everything else through Node. A changed file is
 * reloaded when a cell imports it or a file that imports it. An unchanged file keeps its state. Imported names are
 * live, and circular imports are supported.
 */
export class ModuleLoader {
  readonly #parts: LoaderParts;
  readonly #modules = new Map<string, Loading>();
  readonly #importers = new Map<string, Importer>();

  constructor(parts: LoaderParts) {
    this.#parts = parts;
  }

  /** An import by a cell. */
  async import(specifier: unknown, from: string): Promise<ModuleNamespace> {
    const here = new Error("import");
    try {
      return await this.#import(String(specifier), from, undefined);
    } catch (error) {
      throw withPlace(error, here);
    }
  }

  /**
   * Loads modules that cells will import and that Siteframe itself can find; other modules run with their cell. Always
   * uses `import`: Node fails, possibly permanently, if it loads a module for `require()` at the same time.
   */
  async load(specifier: string, from: string): Promise<void> {
    try {
      if (isOurs(parts[specifier]?.of ?? specifier, from)) await this.#importNatively(specifier, from);
    } catch {
      // The import of a cell reports the error.
    }
  }

  /** Forgets pending loads of a stopped cell. */
  abandon(): void {
    for (const [path, { module }] of this.#modules) if (!module.loaded) this.#modules.delete(path);
  }

  async #import(specifier: string, from: string, importer: LocalModule | undefined): Promise<ModuleNamespace> {
    const file = isBuiltin(specifier) ? undefined : await this.#parts.source.findModule(specifier, from);
    // A cell that was stopped meanwhile would start a load that cannot be ended and that other cells would wait for.
    this.#parts.resume(undefined);
    if (!file) return this.#importNatively(specifier, from);
    if (file.kind === "javascript") return this.#importNatively(pathToFileURL(file.path).href, from);
    if (!importer) this.#dropOutdated(file.path);
    const { module, done } = this.#modules.get(file.path) ?? this.#loadFile(file.path, file.kind);
    if (importer) return importer.use(module, done);
    await done;
    return module.names;
  }

  #importNatively(specifier: string, from: string): Promise<ModuleNamespace> {
    const part = parts[specifier];
    if (part && isOurs(part.of, from)) return part.load();
    const folder = dirname(from);
    const importer = this.#importers.get(folder) ?? createImporter(folder);
    this.#importers.set(folder, importer);
    return importer(part?.of ?? specifier);
  }

  #dropOutdated(path: string): void {
    const outdated = this.#modules.get(path)?.module.outdated() ?? [];
    for (const module of outdated) this.#forget(module);
  }

  #loadFile(path: string, kind: "typescript" | "json"): Loading {
    const module = new LocalModule(path, Object.create(null, { [Symbol.toStringTag]: { value: "Module" } }));
    const run = kind === "json" ? readJson(module) : this.#run(module);
    const done = run.then(
      () => {
        module.loaded = true;
      },
      (error: unknown) => {
        this.#forget(module);
        throw error;
      },
    );
    const loading = { module, done };
    this.#modules.set(path, loading);
    return loading;
  }

  #forget(module: LocalModule): void {
    if (this.#modules.get(module.path)?.module === module) this.#modules.delete(module.path);
  }

  async #run(module: LocalModule): Promise<void> {
    const { directory, source, resume, onCompiled } = this.#parts;
    const { path, names } = module;
    const compilation = await source.compileModule(path);
    if (compilation.status === "error") throw new SyntaxError(compilation.message);
    const compiled = compilation.module;
    module.version = compiled.version;
    const name = moduleName(directory, path);
    onCompiled(name, compiled);
    const importModule = (specifier: unknown) => this.#import(String(specifier), path, module);
    const scope = createScope(path, names, importModule, resume, new NameSharing(names));
    await runScript(compiled.script, name, scope);
    // As in CommonJS, which `export =` is compiled to.
    if (scope.module.exports !== names) module.names = moduleNames({ default: scope.module.exports });
  }
}

async function readJson(module: LocalModule): Promise<void> {
  const { path } = module;
  const text = readFileSync(path, "utf8").replace(/^\uFEFF/, "");
  try {
    module.names = moduleNames({ default: JSON.parse(text) });
  } catch (cause) {
    throw new SyntaxError(`${path} is not valid JSON.`, { cause });
  }
}

/** A file's name in stack frames: its path from the notebook's folder if it is inside. */
function moduleName(directory: string, path: string): string {
  const inside = relative(directory, path);
  return inside.startsWith("..") || isAbsolute(inside) ? path : inside;
}

/** Errors of loaders do not include the position of the import. */
function withPlace(error: unknown, here: Error): unknown {
  readSafely(() => {
    if (error instanceof Error) error.stack += `\n${here.stack ?? ""}`;
  }, undefined);
  return error;
}

/** A Siteframe module with a part that can be loaded separately. */
interface ModulePart {
  readonly of: string;
  load(): Promise<ModuleNamespace>;
}

/** Parts that cells load for names without an import, if the whole module takes much longer. */
const parts: Readonly<Record<string, ModulePart>> = {
  "siteframe/plot#Plot": { of: "siteframe/plot", load: () => import("../../../plot/figure/plot.js") },
};

/** Whether a module resolves from `from` to the file that Siteframe itself uses. */
function isOurs(specifier: string, from: string): boolean {
  try {
    return resolveModule(specifier, pathToFileURL(from).href) === resolveModule(specifier, import.meta.url);
  } catch {
    return false;
  }
}

/** Imports a module through Node. */
type Importer = (specifier: string) => Promise<ModuleNamespace>;
type NativeImport = (specifier: string, options: ImportCallOptions) => Promise<Record<string, unknown>>;

/**
 * Imports ES and CommonJS modules as seen from `directory`. A package that is not installed there is
 * looked for where Siteframe is installed, so that a notebook anywhere can import `siteframe`.
 */
function createImporter(directory: string): Importer {
  const importThere: NativeImport = vm.runInThisContext("(specifier, options) => import(specifier, options)", {
    filename: join(directory, "cell.mjs"),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const importHere: NativeImport = (specifier, options) => import(specifier, options);

  const importAnywhere: Importer = async (name) => {
    const options: ImportCallOptions = name.endsWith(".json") ? { with: { type: "json" } } : {};
    try {
      return moduleNames(await importThere(name, options));
    } catch (error) {
      if (!lacksPackageOf(error, name)) throw error;
      return moduleNames(
        await importHere(name, options).catch((cause) => Promise.reject(lacksPackageOf(cause, name) ? error : cause)),
      );
    }
  };
  return async (name) => {
    const names = await importAnywhere(name);
    if (name !== "arquero") return names;
    // After this load, the verbs of Siteframe's Arquero accept any function of rows, for every importer.
    const { aq } = (await importHere("siteframe/arquero", {})) as Readonly<Record<"aq", ModuleNamespace>>;
    return names["ColumnTable"] === aq["ColumnTable"] ? aq : names;
  };
}

/**
 * Returns the names by which a module's exports can be imported. Node finds only some names of a CommonJS module; type
 * declarations promise all of them, and a `default` that may differ. The result follows the types.
 */
function moduleNames(namespace: ModuleNamespace): ModuleNamespace {
  const module: unknown = namespace["default"];
  if (!isObject(module) || !isCommonJs(namespace, module)) return namespace;
  const ownDefault = module["__esModule"] === true && "default" in module;
  return { ...module, ...namespace, default: ownDefault ? module["default"] : module };
}

/** Every named export that Node finds in a CommonJS module is also a property of its default export. */
function isCommonJs(namespace: ModuleNamespace, module: Record<string, unknown>): boolean {
  return Object.keys(namespace).every(
    (name) => name === "default" || name === "module.exports" || (name in module && module[name] === namespace[name]),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
