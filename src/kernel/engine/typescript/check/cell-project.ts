import { existsSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../../../core/package-folder.js";
import { ancestors } from "../../cell/local-files.js";
import { preloadedDeclaration } from "../../cell/preloaded-names.js";
import { ownFiles } from "./earlier-cells.js";
import type { TypesFolder } from "./types-folder.js";

/** Used instead of Node's types, which cost time and memory, until a cell needs them. */
const consoleDeclaration = `interface Console {
  log(message?: any, ...optionalParams: any[]): void;
  error(message?: any, ...optionalParams: any[]): void;
  warn(message?: any, ...optionalParams: any[]): void;
  info(message?: any, ...optionalParams: any[]): void;
  debug(message?: any, ...optionalParams: any[]): void;
}
var console: Console;`;

/**
 * `WebAssembly`, which every Node has, and which only the browser libraries declare. If such a library is also read,
 * these declarations merge with it.
 */
const webAssemblyDeclaration = `namespace WebAssembly {
  type Bytes = ArrayBuffer | ArrayBufferView;
  type Imports = Record<string, Record<string, any>>;
  interface ModuleExportDescriptor { kind: "function" | "global" | "memory" | "table" | "tag"; name: string }
  interface ModuleImportDescriptor extends ModuleExportDescriptor { module: string }
  class Module {
    constructor(bytes: Bytes);
    static customSections(module: Module, sectionName: string): ArrayBuffer[];
    static exports(module: Module): ModuleExportDescriptor[];
    static imports(module: Module): ModuleImportDescriptor[];
  }
  class Instance {
    constructor(module: Module, imports?: Imports);
    readonly exports: Record<string, any>;
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBuffer;
    grow(delta: number): number;
  }
  class Table {
    constructor(descriptor: { element: "anyfunc" | "externref"; initial: number; maximum?: number }, value?: any);
    readonly length: number;
    get(index: number): any;
    grow(delta: number, value?: any): number;
    set(index: number, value?: any): void;
  }
  class Global<Value = any> {
    constructor(descriptor: { value: "i32" | "i64" | "f32" | "f64" | "externref" | "anyfunc"; mutable?: boolean }, value?: Value);
    value: Value;
    valueOf(): Value;
  }
  class CompileError extends Error {}
  class LinkError extends Error {}
  class RuntimeError extends Error {}
  function compile(bytes: Bytes): Promise<Module>;
  function instantiate(bytes: Bytes, imports?: Imports): Promise<{ module: Module; instance: Instance }>;
  function instantiate(module: Module, imports?: Imports): Promise<Instance>;
  function validate(bytes: Bytes): boolean;
}`;

/** Compiler options under the names, and with the values, that they have in a `tsconfig.json`. */
export type ProjectOptions = Readonly<Record<string, unknown>>;

/** Declarations that a cell needs and that take a while to read. */
export interface Needs {
  readonly node: boolean;
  /** Types of the preloaded names. */
  readonly preloads: Iterable<string>;
}

/** The file with the declarations for all cells. */
export const globalsFile = `${ownFiles}globals.d.ts`;

/** The text of that file. */
export function globalsText({ node, preloads }: Needs): string {
  const head = node ? '/// <reference types="node" />\n' : "";
  const more = `declare global {\n${node ? webAssemblyDeclaration : consoleDeclaration}\n}`;
  return `${head}export {};\n${more}\n${preloadedDeclaration(new Set(preloads))}\n`;
}

/**
 * The text of the `tsconfig.json` for cells.
 *
 * @param options options of the notebook's own `tsconfig.json` that apply to cells, with absolute paths
 */
export function projectFile({ rootDirs }: TypesFolder, options: ProjectOptions, files: readonly string[]): string {
  const { typeRoots, lib } = options;
  const compilerOptions = {
    strict: false,
    lib: languageLibraries(),
    // Uses the output of `scripts/libraries.mjs`, which is valid for these libraries only.
    libReplacement: lib === undefined,
    types: [],
    ...options,
    typeRoots: [...(Array.isArray(typeRoots) ? typeRoots : []), ...typeFolders(options["directory"])],
    directory: undefined,
    ...{ target: "esnext", module: "preserve", moduleResolution: "bundler", moduleDetection: "force" },
    ...{ noEmit: true, skipLibCheck: true, allowJs: true, checkJs: false, resolveJsonModule: true },
    ...{ allowImportingTsExtensions: true, esModuleInterop: true, rootDirs },
  };
  return JSON.stringify({ compilerOptions, files });
}

/** Folders of type declarations, next to the notebook and next to Siteframe. */
function typeFolders(directory: unknown): readonly string[] {
  const folders = [...(typeof directory === "string" ? ancestors(directory) : []), ...ancestors(packageFolder)];
  return [...new Set(folders.map((folder) => join(folder, "node_modules", "@types")))].filter(existsSync);
}

/** The libraries of the language that the running Node has, as TypeScript calls them. */
export function languageLibraries(version: string = process.versions.node): readonly string[] {
  const major = Number.parseInt(version, 10);
  const always = ["es2023", "esnext.disposable", "esnext.decorators", "esnext.intl"];
  if (major < 22) return always;
  const since22 = ["es2024", "es2025.collection", "es2025.iterator", "esnext.array"];
  return [...always, ...since22, ...(major < 24 ? [] : ["es2025", "esnext.error"])];
}
