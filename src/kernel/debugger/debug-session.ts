import type { CompiledCell } from "../engine/cell/language-engine.js";
import { Breakpoints } from "./breakpoints.js";
import { Evaluator } from "./evaluator.js";
import { InspectedThread } from "./inspected-thread.js";
import { KnownSources } from "./known-sources.js";
import { type StopReason, Stops } from "./stops.js";
import { ThreadScripts } from "./thread-scripts.js";
import { Variables } from "./variables.js";

/** All that there is while someone debugs: the inspector costs nothing before. */
export class DebugSession {
  readonly sources = new KnownSources();
  readonly breakpoints: Breakpoints;
  readonly stops: Stops;
  readonly variables: Variables;
  readonly evaluator: Evaluator;
  readonly #thread = new InspectedThread();
  readonly #scripts: ThreadScripts;

  private constructor(onStop: (reason: StopReason) => void) {
    const thread = this.#thread;
    this.#scripts = new ThreadScripts(thread, this.sources, (script) => void this.breakpoints.renew(script));
    this.breakpoints = new Breakpoints(thread, this.sources, this.#scripts);
    this.stops = new Stops(thread, this.sources, this.#scripts, onStop);
    this.variables = new Variables(thread);
    this.evaluator = new Evaluator(thread);
  }

  /** Connects to the thread of the cells. */
  static async start(onStop: (reason: StopReason) => void): Promise<DebugSession> {
    const session = new DebugSession(onStop);
    const thread = session.#thread;
    await thread.ask("Debugger.enable");
    await thread.ask("Debugger.setBlackboxPatterns", { patterns: ThreadScripts.blackboxPatterns });
    await session.#scripts.learnAll();
    return session;
  }

  /** Takes a cell that runs next. */
  async prepare(cell: CompiledCell): Promise<void> {
    const { name, code, sourceMaps, linesBefore, script } = cell;
    await this.breakpoints.prepare(this.sources.add({ name, code, sourceMaps, linesBefore }), script);
  }

  /** @param isStopping whether to stop where anything is thrown, also where it is caught */
  async stopAtErrors(isStopping: boolean): Promise<void> {
    await this.#thread.ask("Debugger.setPauseOnExceptions", { state: isStopping ? "all" : "none" });
  }

  /** The names of all cells, as a reference for `Variables`. */
  async names(hold: "stop" | "session"): Promise<number> {
    const { result } = await this.#thread.desk<{ readonly result: { readonly objectId?: string } }>("names()", {
      objectGroup: hold,
    });
    return this.variables.namesOn(result.objectId === undefined ? [] : [result.objectId], hold);
  }

  close(): void {
    this.#thread.close();
  }
}
