import { debugDeskName } from "../threads/debug-desk.js";
import type { InspectedThread } from "./inspected-thread.js";
import type { KnownScript, KnownSources } from "./known-sources.js";
import type { ThreadScripts } from "./thread-scripts.js";

/** A breakpoint as a client asks for it; lines count from 1. */
export interface WantedBreakpoint {
  readonly line: number;
  /** JavaScript: it stops only where this is true. */
  readonly condition?: string;
}

interface BreakLocation {
  readonly lineNumber: number;
  readonly columnNumber: number;
  readonly type?: string;
}

/** Where a script can stop, and the line of its source that this is. */
interface Place {
  readonly line: number;
  readonly isReturn: boolean;
  /** From 0, in the script. */
  readonly at: { readonly lineNumber: number; readonly columnNumber: number };
}

/** The breakpoints of all sources, in the scripts that were made of them, and in those to come. */
export class Breakpoints {
  readonly #thread: InspectedThread;
  readonly #sources: KnownSources;
  readonly #scripts: ThreadScripts;
  readonly #wanted = new Map<string, readonly WantedBreakpoint[]>();
  /** What the inspector calls those that are set, by the names of scripts. */
  readonly #set = new Map<string, readonly string[]>();

  constructor(thread: InspectedThread, sources: KnownSources, scripts: ThreadScripts) {
    this.#thread = thread;
    this.#sources = sources;
    this.#scripts = scripts;
  }

  /** All of them, by the paths of sources. */
  get all(): ReadonlyMap<string, readonly WantedBreakpoint[]> {
    return this.#wanted;
  }

  /** Sets those of one source, in place of those before. Gives the lines where they are, as far as it is known. */
  async set(path: string, wanted: readonly WantedBreakpoint[]): Promise<readonly number[]> {
    if (wanted.length === 0) this.#wanted.delete(path);
    else this.#wanted.set(path, wanted);
    let lines = wanted.map(({ line }) => line);
    for (const script of this.#sources.scriptsAt(path)) lines = await this.#placeIn(script, wanted);
    return lines;
  }

  /** Sets those of a script that runs next: one that a cell was compiled to. */
  async prepare(script: KnownScript, text: string): Promise<void> {
    const wanted = this.#wanted.get(script.path);
    if (!wanted) return;
    // Its first line runs as line -1.
    const places = placesIn(script, await this.#locationsIn(text), 1);
    await this.#place(script, wanted, places);
  }

  /** Sets those of a script that has just been compiled. */
  async renew(script: KnownScript): Promise<void> {
    await this.#placeIn(script, this.#wanted.get(script.path) ?? []);
  }

  async #placeIn(script: KnownScript, wanted: readonly WantedBreakpoint[]): Promise<number[]> {
    const compiled = this.#scripts.newest(script.name);
    const locations = compiled && wanted.length > 0 ? await this.#locations(compiled.scriptId) : [];
    return this.#place(script, wanted, placesIn(script, locations, 0));
  }

  /** Of a script that has not been compiled. */
  async #locationsIn(expression: string): Promise<readonly BreakLocation[]> {
    // No longer than needed: it holds what cells print.
    await this.#thread.ask("Runtime.enable");
    try {
      const asked = { expression, sourceURL: "", persistScript: true };
      const { scriptId } = await this.#thread.ask<{ readonly scriptId?: string }>("Runtime.compileScript", asked);
      return scriptId === undefined ? [] : await this.#locations(scriptId);
    } finally {
      await this.#thread.ask("Runtime.disable");
    }
  }

  async #locations(scriptId: string): Promise<readonly BreakLocation[]> {
    const start = { scriptId, lineNumber: 0, columnNumber: 0 };
    const { locations } = await this.#thread.ask<{ readonly locations: readonly BreakLocation[] }>(
      "Debugger.getPossibleBreakpoints",
      { start },
    );
    return locations;
  }

  async #place(
    { name }: KnownScript,
    wanted: readonly WantedBreakpoint[],
    places: readonly Place[],
  ): Promise<number[]> {
    for (const breakpointId of this.#set.get(name) ?? []) {
      await this.#thread.ask("Debugger.removeBreakpoint", { breakpointId });
    }
    const set: string[] = [];
    this.#set.set(name, set);
    const lines: number[] = [];
    for (const { line, condition } of wanted) {
      const place = placeFor(line, places);
      lines.push(place?.line ?? line);
      if (!place) continue;
      const { breakpointId } = await this.#thread
        .ask<{ readonly breakpointId: string }>("Debugger.setBreakpointByUrl", {
          url: name,
          ...place.at,
          ...(condition === undefined ? {} : { condition: conditionCode(condition) }),
        })
        .catch(() => ({ breakpointId: undefined }));
      if (breakpointId !== undefined) set.push(breakpointId);
    }
    return lines;
  }
}

/** A condition that sees variables which have moved into fields. It may end in a comment. */
function conditionCode(condition: string): string {
  return `globalThis[Symbol.for(${JSON.stringify(debugDeskName)})].holds(() => (${condition}\n))`;
}

/** @param linesBefore how many lines the script has before those that its places count */
function placesIn(script: KnownScript, locations: readonly BreakLocation[], linesBefore: number): readonly Place[] {
  return locations.flatMap(({ lineNumber, columnNumber, type }) => {
    const line = lineNumber - linesBefore;
    const found = line < 0 ? undefined : script.locate(line + 1, columnNumber + 1);
    if (!found) return [];
    return [{ line: found.line, isReturn: type === "return", at: { lineNumber: line, columnNumber } }];
  });
}

/** The first place of a line, else of the next line that has one; the end of a function only where there is no other. */
function placeFor(line: number, places: readonly Place[]): Place | undefined {
  const next = Math.min(...places.map((place) => place.line).filter((each) => each >= line));
  const there = places.filter((place) => place.line === next);
  return there.find(({ isReturn }) => !isReturn) ?? there[0];
}
