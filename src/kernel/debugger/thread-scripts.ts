import { packageFolder } from "../../core/package-folder.js";
import type { SourceText } from "../engine/cell/source-text.js";
import type { InspectedThread } from "./inspected-thread.js";
import type { KnownScript, KnownSources } from "./known-sources.js";

/** What the inspector tells of a script. */
export interface ThreadScript {
  readonly scriptId: string;
  readonly url: string;
  readonly endLine: number;
}

/** The last line of a script is the end of what is around it: see `wrapScript`. */
const isModule = (url: string) => /\.[cm]?tsx?$/.test(url) && !/^(node|file|evalmachine)/.test(url);

/** The scripts of the thread, as they are compiled, and which of them are cells or local modules. */
export class ThreadScripts {
  readonly #thread: InspectedThread;
  readonly #sources: KnownSources;
  readonly #byId = new Map<string, ThreadScript>();
  readonly #newest = new Map<string, ThreadScript>();
  readonly #onModule: (script: KnownScript) => void;
  #learning: Promise<void> = Promise.resolve();

  /** @param onModule called when the source of a local module is known that has just been compiled */
  constructor(thread: InspectedThread, sources: KnownSources, onModule: (script: KnownScript) => void) {
    this.#thread = thread;
    this.#sources = sources;
    this.#onModule = onModule;
    thread.on("Debugger.scriptParsed", (script: ThreadScript) => this.#take(script));
  }

  /** Resolves when the sources of all scripts so far are known. */
  get learned(): Promise<void> {
    return this.#learning;
  }

  /** Those that no one wants to step into. */
  static get blackboxPatterns(): readonly string[] {
    const own = packageFolder.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return ["^node:", "/node_modules/", `^file://.*${own}[/\\\\](dist|src)[/\\\\]`];
  }

  /** Learns the sources of cells that have run already. */
  async learnAll(): Promise<void> {
    for (const text of await this.#texts("sources()")) this.#sources.add(text);
  }

  byId(scriptId: string): ThreadScript | undefined {
    return this.#byId.get(scriptId);
  }

  /** The last one that was compiled under a name. */
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
      for (const text of texts) this.#onModule(this.#sources.add(text));
    } catch {
      // The debugger was disconnected.
    }
  }

  async #texts(call: string): Promise<readonly SourceText[]> {
    const { result } = await this.#thread.desk<{ readonly result: { readonly value?: readonly SourceText[] } }>(call, {
      returnByValue: true,
    });
    return result.value ?? [];
  }
}
