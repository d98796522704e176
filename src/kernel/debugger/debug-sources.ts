import { readFileSync } from "node:fs";
import type { Debugger } from "node:inspector";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageFolder } from "../../core/package-folder.js";
import { type CellSource, cellSource } from "../engine/cell/cell-positions.js";
import type { SourceText } from "../engine/cell/language-engine.js";
import { DebugError, type InspectedThread } from "./inspected-thread.js";

const factor = 0x5bd1e995;

/** MurmurHash2 of a string's UTF-8, 32 bits, unsigned: clients of Jupyter's debugger name a cell's source by it. */
export function murmur2(text: string, seed: number): number {
  const bytes = new TextEncoder().encode(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let hash = (seed ^ bytes.length) | 0;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    hash = Math.imul(hash, factor) ^ mixed(view.getInt32(at, true));
  }
  const rest = bytes.subarray(at);
  if (rest.length > 0) {
    for (const [index, byte] of rest.entries()) hash ^= byte << (8 * index);
    hash = Math.imul(hash, factor);
  }
  hash = Math.imul(hash ^ (hash >>> 13), factor);
  return (hash ^ (hash >>> 15)) >>> 0;
}

function mixed(word: number): number {
  const product = Math.imul(word, factor);
  return Math.imul(product ^ (product >>> 24), factor);
}

/** A script that the inspector may report, and its source path for clients. */
export interface DebugScript extends Pick<CellSource, "locate"> {
  readonly name: string;
  readonly path: string;
}

/** The sources of cells and local modules, under the paths that clients use for them. No file is written. */
export class DebugSources {
  readonly #scripts = new Map<string, DebugScript>();
  readonly #codes = new Map<string, string>();

  /** Registers a cell that may not have run yet. Returns its path. */
  dump(code: string): string {
    const { hashSeed, tmpFilePrefix, tmpFileSuffix } = cellPaths;
    const path = `${tmpFilePrefix}${murmur2(code, hashSeed)}${tmpFileSuffix}`;
    this.#codes.set(path, code);
    return path;
  }

  add(text: SourceText): DebugScript {
    const { name, code, path = this.dump(code) } = text;
    const script = { name, path, locate: cellSource(text).locate };
    this.#scripts.set(name, script);
    return script;
  }

  script(name: string): DebugScript | undefined {
    return this.#scripts.get(name);
  }

  /** All scripts of a source; a cell may have run twice. */
  scriptsAt(path: string): readonly DebugScript[] {
    return [...this.#scripts.values()].filter((script) => script.path === path);
  }

  /**
   * @throws DebugError if the path is neither a cell nor a local module that has run
   */
  code(path: string): string {
    const cached = this.#codes.get(path);
    if (cached !== undefined) return cached;
    if (this.scriptsAt(path).length === 0) throw new DebugError(`Unknown source: ${path}.`);
    return readFileSync(path, "utf8");
  }
}

/** Clients name a cell's source by a hash of its code between this prefix and suffix. */
export const cellPaths = {
  hashMethod: "Murmur2",
  hashSeed: 0xc70f6907,
  tmpFilePrefix: join(tmpdir(), `siteframe-cells-${process.pid}`, "/"),
  tmpFileSuffix: ".ts",
};

/** The inspector's description of a script. */
type ThreadScript = Debugger.ScriptParsedEventDataType;

/** The last line of a script closes the code around the cell: see `wrapScript`. */
const isModule = (url: string) => /\.[cm]?tsx?$/.test(url) && !/^(node|file|evalmachine)/.test(url);

/** Compiled scripts of the thread, and which of them are cells or local modules. */
export class ThreadScripts {
  readonly #thread: InspectedThread;
  readonly #sources: DebugSources;
  readonly #byId = new Map<string, ThreadScript>();
  readonly #newest = new Map<string, ThreadScript>();
  readonly #onModule: (script: DebugScript) => Promise<void>;
  #learning: Promise<void> = Promise.resolve();

  /** @param onModule called with each compiled local module once its source is known */
  constructor(thread: InspectedThread, sources: DebugSources, onModule: (script: DebugScript) => Promise<void>) {
    this.#thread = thread;
    this.#sources = sources;
    this.#onModule = onModule;
    thread.on("Debugger.scriptParsed", (script: ThreadScript) => this.#take(script));
  }

  /** Resolves when the sources of all scripts so far are known and `onModule` has finished with them. */
  get learned(): Promise<void> {
    return this.#learning;
  }

  /** Resolves when the same holds for all scripts that the thread has compiled. */
  async learnCompiled(): Promise<void> {
    // Messages of the inspector are ordered, so the events of these scripts arrive before this reply.
    await this.#thread.ask("Runtime.getIsolateId");
    await this.#learning;
  }

  /** Scripts that stepping skips. */
  static get blackboxPatterns(): readonly string[] {
    const escaped = packageFolder.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return ["^node:", "/node_modules/", `^file://.*${escaped}[/\\\\](dist|src)[/\\\\]`];
  }

  /** Reads the sources of cells that have already run. */
  async learnAll(): Promise<void> {
    for (const text of await this.#texts("sources()")) this.#sources.add(text);
  }

  byId(scriptId: string): ThreadScript | undefined {
    return this.#byId.get(scriptId);
  }

  /** The last script compiled under a name. */
  newest(name: string): ThreadScript | undefined {
    return this.#newest.get(name);
  }

  #take(script: ThreadScript): void {
    this.#byId.set(script.scriptId, script);
    this.#newest.set(script.url, script);
    if (isModule(script.url)) this.#learning = this.#learning.then(() => this.#learnModule(script.url));
  }

  async #learnModule(name: string): Promise<void> {
    try {
      const texts = await this.#texts(`sources([${JSON.stringify(name)}])`);
      for (const text of texts) await this.#onModule(this.#sources.add(text));
    } catch {
      // The debugger was disconnected.
    }
  }

  async #texts(call: string): Promise<readonly SourceText[]> {
    return (await this.#thread.channel(call, { returnByValue: true })).value ?? [];
  }
}
