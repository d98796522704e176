import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageFolder } from "../../../../core/package-folder.js";
import { ancestors } from "../../cell/local-files.js";
import { preloadedDeclaration } from "../../cell/preloaded-names.js";
import { linesBefore, ownFiles } from "./earlier-cells.js";
import { LanguageServer } from "./language-server.js";
import type { TypesFolder } from "./types-folder.js";

/** What stands for Node's types until a cell needs them, which costs time and memory. */
const consoleDeclaration = `interface Console {
  log(message?: any, ...optionalParams: any[]): void;
  error(message?: any, ...optionalParams: any[]): void;
  warn(message?: any, ...optionalParams: any[]): void;
  info(message?: any, ...optionalParams: any[]): void;
  debug(message?: any, ...optionalParams: any[]): void;
}
var console: Console;`;

/**
 * `WebAssembly`, which every Node has, and which only the libraries of browsers declare. Where such a library is read
 * too, these are more words for the same.
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

/** A place as the language server has it: line and column, in UTF-16 units, from 0. */
export interface ServerPosition {
  readonly line: number;
  readonly character: number;
}

/** What the language server says that a name in a text is, such as `class`. */
export interface ServerToken extends ServerPosition {
  readonly type: string | undefined;
}

/** An error as the language server tells it. */
export interface ServerProblem {
  readonly range: { readonly start: ServerPosition };
  readonly severity: number;
  readonly code: number;
  readonly message: string;
  /** What else there is to say of it, mostly of other places. */
  readonly relatedInformation?: readonly { readonly message: string }[];
}

/** What has become of a file, in the protocol's numbers. */
export interface FileChange {
  readonly path: string;
  readonly type: 1 | 2 | 3;
}

/** What a cell needs to have declared that takes a while to read. */
export interface Needs {
  readonly node: boolean;
  readonly packages: boolean;
}

/** How the compiler's process is run. */
export interface CheckerOptions {
  /** How long nobody may ask before it ends; the next question starts another. Default 15 minutes. */
  readonly restAfterMs?: number;
  /** Whether all ends after some questions. */
  readonly isBrief?: boolean;
}

const globalsFile = `${ownFiles}globals.d.ts`;
const isError = 1;
const changed = 2;
/** A server that ends more often than this in a minute is not started again. */
const maxRestarts = 5;
const minuteMs = 60_000;
/** A compiler that nobody has asked for so long gives its memory back. */
const usualRestMs = 15 * minuteMs;

/** Asks the compiler about one text at a time, the cell in question, in the light of the files beside it. */
export class TypeChecker {
  readonly #folder: TypesFolder;
  readonly #cell: string;
  readonly #languageId: string;
  readonly #restarts: number[] = [];
  readonly #restAfterMs: number;
  readonly #isBrief: boolean;
  #server: LanguageServer | undefined;
  #rest: NodeJS.Timeout | undefined;
  #needs: Needs = { node: false, packages: false };
  #version = 0;
  #shown: string | undefined;
  #isClosed = false;

  /** @param extension of the files of cells, with its dot */
  constructor(
    folder: TypesFolder,
    options: ProjectOptions,
    extension: string,
    { restAfterMs = usualRestMs, isBrief = false }: CheckerOptions = {},
  ) {
    this.#folder = folder;
    this.#restAfterMs = restAfterMs;
    this.#isBrief = isBrief;
    this.#languageId = extension === ".tsx" ? "typescriptreact" : "typescript";
    const cell = `${ownFiles}cell${extension}`;
    this.#cell = folder.write(cell, "");
    this.#writeGlobals();
    folder.write("tsconfig.json", projectFile(folder, options, [cell, globalsFile]));
    this.#server = this.#start();
    this.#restLater();
  }

  /** What has been declared so far. */
  get needs(): Needs {
    return this.#needs;
  }

  /** Sees to it that what a cell needs is declared, from now on. */
  need({ node, packages }: Needs): void {
    // The types of packages are made of Node's.
    const wanted = { node: this.#needs.node || node || packages, packages: this.#needs.packages || packages };
    if (wanted.node === this.#needs.node && wanted.packages === this.#needs.packages) return;
    this.#needs = wanted;
    this.tellChanges([{ path: this.#writeGlobals(), type: changed }]);
  }

  /** Tells of files that have changed. */
  tellChanges(changes: readonly FileChange[]): void {
    if (changes.length === 0) return;
    const told = changes.map(({ path, type }) => ({ uri: pathToFileURL(path).href, type }));
    // Whoever asks next is told if the server is no more.
    void this.#server?.tell("workspace/didChangeWatchedFiles", { changes: told }).catch(() => undefined);
  }

  /** The errors in a cell, as `cellText` has it. */
  async problems(text: string): Promise<readonly ServerProblem[]> {
    return problemsOf(await this.#ask("textDocument/diagnostic", text));
  }

  /**
   * The errors in a file of the folder, one of several that the compiler reads together: for each text anew it puts all
   * that there is together anew, which takes longer than looking at a cell.
   */
  async problemsIn(file: string, together: readonly string[]): Promise<readonly ServerProblem[]> {
    const text = together.map((each) => `import "./${each}";`).join("\n");
    const uri = pathToFileURL(join(this.#folder.path, file)).href;
    return problemsOf(await this.#ask("textDocument/diagnostic", text, { textDocument: { uri } }));
  }

  /** Asks about a place in a text. */
  ask(method: "completion" | "hover" | "signatureHelp", text: string, position: ServerPosition): Promise<unknown> {
    return this.#ask(`textDocument/${method}`, text, { position });
  }

  /** What the names in a text are. */
  async tokens(text: string): Promise<readonly ServerToken[]> {
    const report = await this.#ask("textDocument/semanticTokens/full", text);
    const types = (await this.#server?.tokenTypes()) ?? [];
    return readTokens((report ?? {}) as { readonly data?: readonly number[] }, types);
  }

  close(): void {
    this.#isClosed = true;
    this.#endServer();
  }

  async #ask(method: string, text: string, more: object = {}): Promise<unknown> {
    for (;;) {
      clearTimeout(this.#rest);
      this.#server ??= this.#start();
      const server = this.#server;
      try {
        await this.#show(server, text);
        return await server.ask(method, { textDocument: { uri: this.#uri }, ...more });
      } catch (error) {
        if (server.isAlive || this.#isClosed || !this.#mayRestart()) throw error;
        this.#server = undefined;
      } finally {
        this.#restLater();
      }
    }
  }

  #restLater(): void {
    clearTimeout(this.#rest);
    if (!this.#isClosed) this.#rest = setTimeout(() => this.#endServer(), this.#restAfterMs).unref();
  }

  #endServer(): void {
    clearTimeout(this.#rest);
    this.#server?.close();
    this.#server = undefined;
  }

  get #uri(): string {
    return pathToFileURL(this.#cell).href;
  }

  async #show(server: LanguageServer, text: string): Promise<void> {
    if (this.#shown === text) return;
    this.#shown = text;
    const textDocument = { uri: this.#uri, version: ++this.#version };
    await server.tell("textDocument/didChange", { textDocument, contentChanges: [{ text }] });
  }

  /** The first question has the libraries read, so it is asked before there is a cell. */
  #start(): LanguageServer {
    const server = new LanguageServer(this.#folder.path, this.#isBrief);
    const uri = this.#uri;
    const textDocument = { uri, languageId: this.#languageId, version: ++this.#version, text: "" };
    this.#shown = "";
    const warm = async () => {
      await server.tell("textDocument/didOpen", { textDocument });
      await server.ask("textDocument/diagnostic", { textDocument: { uri } });
    };
    warm().catch(() => undefined);
    return server;
  }

  #mayRestart(): boolean {
    const now = Date.now();
    while (this.#restarts[0] !== undefined && this.#restarts[0] < now - minuteMs) this.#restarts.shift();
    if (this.#restarts.length >= maxRestarts) return false;
    this.#restarts.push(now);
    return true;
  }

  #writeGlobals(): string {
    const { node, packages } = this.#needs;
    const head = node ? '/// <reference types="node" />\n' : "";
    const more = `declare global {\n${node ? webAssemblyDeclaration : consoleDeclaration}\n}`;
    return this.#folder.write(globalsFile, `${head}export {};\n${more}\n${preloadedDeclaration(packages)}\n`);
  }
}

function problemsOf(report: unknown): readonly ServerProblem[] {
  const { items = [] } = (report ?? {}) as { readonly items?: readonly ServerProblem[] };
  return items.filter(({ severity, range }) => severity === isError && range.start.line >= linesBefore);
}

/** Five numbers a token: lines and columns from the one before, its length, its type, and what else it is. */
function readTokens({ data = [] }: { readonly data?: readonly number[] }, types: readonly string[]): ServerToken[] {
  const tokens: ServerToken[] = [];
  let [line, character] = [0, 0];
  for (let at = 0; at + 4 < data.length; at += 5) {
    const [lines = 0, columns = 0, , type = 0] = data.slice(at, at + 4);
    line += lines;
    character = lines > 0 ? columns : character + columns;
    tokens.push({ line, character, type: types[type] });
  }
  return tokens;
}

/**
 * The text of the `tsconfig.json` for cells.
 *
 * @param own options of the notebook's own `tsconfig.json` that mean something in cells, with absolute paths
 */
function projectFile({ rootDirs }: TypesFolder, own: ProjectOptions, files: readonly string[]): string {
  const { typeRoots } = own;
  const compilerOptions = {
    strict: false,
    lib: languageLibraries(),
    types: [],
    ...own,
    typeRoots: [...(Array.isArray(typeRoots) ? typeRoots : []), ...typeFolders(own["directory"])],
    directory: undefined,
    ...{ target: "esnext", module: "preserve", moduleResolution: "bundler", moduleDetection: "force" },
    ...{ noEmit: true, skipLibCheck: true, allowJs: true, checkJs: false, resolveJsonModule: true },
    ...{ allowImportingTsExtensions: true, esModuleInterop: true, rootDirs },
  };
  return JSON.stringify({ compilerOptions, files });
}

/** Where declarations of Node and others are, beside the notebook and beside Siteframe. */
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
