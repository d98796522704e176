import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, parse } from "node:path";
import { packageFolder } from "../../../../core/package-folder.js";
import { folderPrefix } from "./stale-folders.js";

/**
 * A folder outside the project, which no one else can read, in which the compiler finds the cells as files. It mirrors
 * where the notebook lies, so that what cells import by a path is found there, and above that where Siteframe is
 * installed, whose packages all cells can import.
 */
export class TypesFolder {
  /** The folder of the cells. */
  readonly path: string;
  /** What `rootDirs` has to hold, so that the mirror and what it shows are one. */
  readonly rootDirs: readonly string[];
  readonly #top: string;

  constructor(directory: string) {
    this.#top = mkdtempSync(folderPrefix());
    process.once("exit", this.#atExit);
    const { root } = parse(directory);
    let level = this.#top;
    for (const folder of [...ancestors(packageFolder)].reverse()) level = nest(level, join(folder, "node_modules"));
    level = join(level, "own");
    mkdirSync(join(level, "node_modules"), { recursive: true });
    link(packageFolder, join(level, "node_modules", "siteframe"));
    const mirror = join(level, "cells");
    this.rootDirs = [mirror, root];
    this.path = join(mirror, directory.slice(root.length));
    mkdirSync(this.path, { recursive: true });
    for (const folder of ancestors(directory)) {
      // Also where there are none yet: packages may be installed while a notebook runs.
      link(join(folder, "node_modules"), join(mirror, folder.slice(root.length), "node_modules"));
    }
  }

  /** Writes a file, and gives its path. */
  write(name: string, text: string): string {
    const path = join(this.path, name);
    writeFileSync(path, text);
    return path;
  }

  remove(): void {
    process.off("exit", this.#atExit);
    rmSync(this.#top, { recursive: true, force: true });
  }

  readonly #atExit = () => this.remove();
}

function ancestors(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...ancestors(parent)];
}

/** A folder below `level`, from which the packages of `modules` are found, if there are any. */
function nest(level: string, modules: string): string {
  if (!existsSync(modules)) return level;
  link(modules, join(level, "node_modules"));
  const next = join(level, "below");
  mkdirSync(next);
  return next;
}

function link(target: string, path: string): void {
  // A junction needs no rights on Windows; elsewhere the word has no meaning.
  symlinkSync(target, path, "junction");
}

/** Names that the language has without Node: of values, then of types. */
const languageNames: ReadonlySet<string> = new Set(
  `globalThis undefined NaN Infinity eval isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI
  encodeURIComponent escape unescape Object Function Boolean Symbol Error AggregateError EvalError RangeError
  ReferenceError SyntaxError TypeError URIError Number BigInt Math Date String RegExp Array Int8Array Uint8Array
  Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array Float32Array Float64Array
  Map Set WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer SharedArrayBuffer DataView Atomics JSON Promise Proxy
  Reflect Intl
  Record Partial Required Readonly Pick Omit Exclude Extract NonNullable Parameters ConstructorParameters ReturnType
  InstanceType Awaited Uppercase Lowercase Capitalize Uncapitalize NoInfer PromiseLike ReadonlyArray ReadonlyMap
  ReadonlySet PropertyKey PropertyDescriptor ArrayLike Iterable Iterator IterableIterator IteratorResult AsyncIterable
  AsyncIterator AsyncIterableIterator Generator AsyncGenerator TemplateStringsArray ThisType const
  display page clearOutput input comms html md svg aq Plot connect openSnapshot`.split(/\s+/),
);

/** The methods of `console` that are declared without Node's types. */
const plainConsole = /^console\s*\.\s*(log|error|warn|info|debug)\s*\(/;

/** What stands for Node's types until a cell needs them, which costs time and memory. */
export const consoleDeclaration = `interface Console {
  log(message?: any, ...optionalParams: any[]): void;
  error(message?: any, ...optionalParams: any[]): void;
  warn(message?: any, ...optionalParams: any[]): void;
  info(message?: any, ...optionalParams: any[]): void;
  debug(message?: any, ...optionalParams: any[]): void;
}
var console: Console;`;

/** Whether a name that nobody declared can only be one of Node's. */
export function isOfNode(name: string, code: string, start?: number): boolean {
  if (name === "console" && start !== undefined) return !plainConsole.test(code.slice(start, start + 30));
  return !languageNames.has(name);
}
