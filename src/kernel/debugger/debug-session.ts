import type { Debugger, Runtime } from "node:inspector";
import { untilAborted } from "../../core/abort-signal.js";
import type { CompiledCell } from "../engine/cell/language-engine.js";
import { debugChannelName } from "../threads/shared-memory.js";
import type { Content } from "../wire/message.js";
import { type DebugScript, DebugSources, ThreadScripts } from "./debug-sources.js";
import {
  channelCall,
  DebugError,
  evaluationMs,
  InspectedThread,
  isTermination,
  type RemoteValue,
} from "./inspected-thread.js";
import { type StoppedFrame, type StopReason, Stops } from "./stops.js";
import { type Hold, Variables } from "./variables.js";

/** A breakpoint as a client requests it; lines count from 1. */
interface WantedBreakpoint {
  readonly line: number;
  /** A JavaScript condition: the breakpoint stops only if it is true. */
  readonly condition?: string;
}

/** A position where a script can stop, with its line in the source. */
interface Place {
  readonly line: number;
  readonly isReturn: boolean;
  /** From 0, in the script. */
  readonly at: Pick<Debugger.BreakLocation, "lineNumber" | "columnNumber">;
}

/** The breakpoints of all sources, applied to their current and future scripts. */
export class Breakpoints {
  readonly #thread: InspectedThread;
  readonly #sources: DebugSources;
  readonly #scripts: ThreadScripts;
  readonly #breakpoints = new Map<string, readonly WantedBreakpoint[]>();
  /** The inspector's ids of the breakpoints that are set, by script name. */
  readonly #set = new Map<string, readonly string[]>();
  /** The conditions that V8 does not check, by the inspector's id of the breakpoint. */
  readonly #conditions = new Map<string, string>();

  constructor(thread: InspectedThread, sources: DebugSources, scripts: ThreadScripts) {
    this.#thread = thread;
    this.#sources = sources;
    this.#scripts = scripts;
  }

  /** All breakpoints, by source path. */
  get all(): ReadonlyMap<string, readonly WantedBreakpoint[]> {
    return this.#breakpoints;
  }

  /** Replaces the breakpoints of one source. Returns their lines as far as they are known. */
  async set(path: string, breakpoints: readonly WantedBreakpoint[]): Promise<readonly number[]> {
    if (breakpoints.length === 0) this.#breakpoints.delete(path);
    else this.#breakpoints.set(path, breakpoints);
    let lines = breakpoints.map(({ line }) => line);
    // A cell may have just imported the file: without this, its next call could run before the breakpoint is set.
    await this.#scripts.learnCompiled();
    for (const script of this.#sources.scriptsAt(path)) lines = await this.#placeIn(script, breakpoints);
    return lines;
  }

  /** Sets the breakpoints of a cell's script that runs next. */
  async prepare(script: DebugScript, text: string): Promise<void> {
    const breakpoints = this.#breakpoints.get(script.path);
    if (!breakpoints) return;
    // The script's first line runs as line -1.
    const places = placesIn(script, await this.#locationsIn(text), 1);
    await this.#place(script, breakpoints, places);
  }

  /** Sets the breakpoints of a newly compiled script. */
  async renew(script: DebugScript): Promise<void> {
    await this.#placeIn(script, this.#breakpoints.get(script.path) ?? []);
  }

  /**
   * Ids of the reached breakpoints at which the thread stops: those without a condition, with a true condition, or with a
   * condition that takes too long. V8 checks conditions ten times as fast, but cannot terminate them, so it checks plain ones.
   */
  async met(breakpointIds: readonly string[], callFrameId: string): Promise<readonly string[]> {
    const met: string[] = [];
    for (const id of breakpointIds) {
      const condition = this.#conditions.get(id);
      if (condition === undefined || (await this.#holds(condition, callFrameId))) met.push(id);
    }
    return met;
  }

  async #holds(condition: string, callFrameId: string): Promise<boolean> {
    const params = {
      callFrameId,
      expression: conditionCode(condition),
      silent: true,
      returnByValue: true,
      timeout: evaluationMs,
    };
    try {
      const method = "Debugger.evaluateOnCallFrame";
      const { result } = await this.#thread.ask<Debugger.EvaluateOnCallFrameReturnType>(method, params);
      return result.value === true;
    } catch (error) {
      if (!isTermination(error)) throw error;
      await this.#thread.channel("endCondition()");
      return true;
    }
  }

  async #placeIn(script: DebugScript, breakpoints: readonly WantedBreakpoint[]): Promise<number[]> {
    const compiled = this.#scripts.newest(script.name);
    const locations = compiled && breakpoints.length > 0 ? await this.#locations(compiled.scriptId) : [];
    return this.#place(script, breakpoints, placesIn(script, locations, 0));
  }

  /** Lines of a script that is not compiled yet. */
  async #locationsIn(expression: string): Promise<readonly Debugger.BreakLocation[]> {
    // Released early: it holds what cells print.
    await this.#thread.ask("Runtime.enable");
    try {
      const params = { expression, sourceURL: "", persistScript: true };
      const { scriptId } = await this.#thread.ask<Runtime.CompileScriptReturnType>("Runtime.compileScript", params);
      return scriptId === undefined ? [] : await this.#locations(scriptId);
    } finally {
      await this.#thread.ask("Runtime.disable");
    }
  }

  async #locations(scriptId: string): Promise<readonly Debugger.BreakLocation[]> {
    const start = { scriptId, lineNumber: 0, columnNumber: 0 };
    const method = "Debugger.getPossibleBreakpoints";
    return (await this.#thread.ask<Debugger.GetPossibleBreakpointsReturnType>(method, { start })).locations;
  }

  async #place(
    { name }: DebugScript,
    breakpoints: readonly WantedBreakpoint[],
    places: readonly Place[],
  ): Promise<number[]> {
    for (const breakpointId of this.#set.get(name) ?? []) {
      await this.#thread.ask("Debugger.removeBreakpoint", { breakpointId });
      this.#conditions.delete(breakpointId);
    }
    const set: string[] = [];
    this.#set.set(name, set);
    const lines: number[] = [];
    for (const { line, condition } of breakpoints) {
      const place = placeFor(line, places);
      lines.push(place?.line ?? line);
      if (!place) continue;
      const { breakpointId } = await this.#thread
        .ask<Debugger.SetBreakpointByUrlReturnType>("Debugger.setBreakpointByUrl", {
          url: name,
          ...place.at,
          ...(condition !== undefined && isPlain(condition) ? { condition: conditionCode(condition) } : {}),
        })
        .catch(() => ({ breakpointId: undefined }));
      if (breakpointId === undefined) continue;
      set.push(breakpointId);
      if (condition !== undefined && !isPlain(condition)) this.#conditions.set(breakpointId, condition);
    }
    return lines;
  }
}

/**
 * Evaluates JavaScript in the thread of the cells with the names of all cells. One expression at a time.
 */
class Evaluator {
  readonly #thread: InspectedThread;
  readonly #stops: Stops;
  #turn: Promise<unknown> = Promise.resolve();
  /** Aborted by the next interrupt. */
  #evaluations = new AbortController();

  constructor(thread: InspectedThread, stops: Stops) {
    this.#thread = thread;
    this.#stops = stops;
  }

  /** Rejects the current and the queued evaluations. */
  interrupt(): void {
    this.#evaluations.abort(new DebugError("The evaluation was interrupted."));
    this.#evaluations = new AbortController();
  }

  /** Resolves when no evaluation runs or waits. */
  async idle(): Promise<void> {
    await this.#turn;
  }

  /**
   * Returns the value of an expression, evaluated in a frame if the thread is stopped.
   *
   * @throws DebugError with what the expression throws, and if it runs too long or is interrupted
   */
  evaluate(expression: string, frame: StoppedFrame | undefined, hold: Hold): Promise<RemoteValue> {
    return this.#inTurn((signal) => this.#evaluate(expression, frame, hold, signal));
  }

  /**
   * The display of the value of an expression. While the thread is stopped, values with an asynchronous display are shown as text.
   *
   * @throws DebugError see `evaluate`
   */
  bundle(expression: string, frame: StoppedFrame | undefined, hold: Hold): Promise<Content> {
    return this.#inTurn(async (signal) => {
      const { objectId, unserializableValue, value } = await this.#evaluate(expression, frame, hold, signal);
      const argument = objectId ? { objectId } : unserializableValue ? { unserializableValue } : { value };
      const channel = await this.#thread.channel("self", { objectGroup: hold });
      await this.#thread.ask("Runtime.callFunctionOn", {
        objectId: channel.objectId,
        functionDeclaration: "function (value) { this.hold(value); }",
        arguments: [argument],
      });
      const bundle = await this.#run({ expression: channelCall(`bundleHeld(${frame !== undefined})`) }, frame, signal);
      if (bundle.subtype !== "promise") return JSON.parse(bundle.value);
      const awaited = this.#thread.ask<Runtime.AwaitPromiseReturnType>("Runtime.awaitPromise", {
        promiseObjectId: bundle.objectId,
        returnByValue: true,
      });
      return JSON.parse(resultOf(await untilAborted(awaited, signal)).value);
    });
  }

  async #evaluate(
    expression: string,
    frame: StoppedFrame | undefined,
    objectGroup: Hold,
    signal: AbortSignal,
  ): Promise<RemoteValue> {
    await this.#thread.channel("lend(true)");
    try {
      return await this.#run({ expression, objectGroup, generatePreview: true }, frame, signal);
    } finally {
      await this.#thread.channel("lend(false)");
    }
  }

  /**
   * Runs the user's code so that it can be terminated, which requires a frame in a stopped thread. The thread must
   * therefore not stop between choosing the method and the evaluation, or during it.
   */
  async #run(options: object, frame: StoppedFrame | undefined, signal: AbortSignal): Promise<RemoteValue> {
    await this.#thread.ask("Debugger.setSkipAllPauses", { skip: true });
    try {
      signal.throwIfAborted();
      const callFrameId = frame?.callFrameId ?? this.#stops.callFrameId;
      const method = callFrameId === undefined ? "Runtime.evaluate" : "Debugger.evaluateOnCallFrame";
      const evaluation = this.#thread.ask<Runtime.EvaluateReturnType>(method, {
        ...options,
        ...(callFrameId === undefined ? {} : { callFrameId }),
        silent: true,
        timeout: evaluationMs,
      });
      return resultOf(await untilAborted(evaluation, signal).catch(tellTermination));
    } finally {
      await this.#thread.ask("Debugger.setSkipAllPauses", { skip: false });
    }
  }

  #inTurn<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const { signal } = this.#evaluations;
    const turn = this.#turn.then(() => {
      signal.throwIfAborted();
      return work(signal);
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

function tellTermination(error: unknown): never {
  if (!isTermination(error)) throw error;
  const seconds = evaluationMs / 1000;
  throw new DebugError(`The expression ran longer than ${seconds} s. Run it in a cell: cells have no time limit.`);
}

/** State that exists only while a client debugs: without a client, the inspector costs nothing. */
export class DebugSession {
  readonly sources = new DebugSources();
  readonly breakpoints: Breakpoints;
  readonly stops: Stops;
  readonly variables: Variables;
  readonly evaluator: Evaluator;
  readonly #thread = new InspectedThread();
  readonly #scripts: ThreadScripts;

  private constructor(onStop: (reason: StopReason) => void) {
    const thread = this.#thread;
    this.#scripts = new ThreadScripts(thread, this.sources, (script) => this.breakpoints.renew(script));
    this.breakpoints = new Breakpoints(thread, this.sources, this.#scripts);
    this.stops = new Stops(thread, {
      sources: this.sources,
      scripts: this.#scripts,
      breakpoints: this.breakpoints,
      onStop,
    });
    this.variables = new Variables(thread);
    this.evaluator = new Evaluator(thread, this.stops);
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

  /** Registers the cell that runs next. */
  async prepare(cell: CompiledCell): Promise<void> {
    const { name, code, sourceMaps, linesBefore, script } = cell;
    await this.breakpoints.prepare(this.sources.add({ name, code, sourceMaps, linesBefore }), script);
  }

  /** @param isStopping whether to stop at every thrown exception, including caught ones */
  async stopAtErrors(isStopping: boolean): Promise<void> {
    await this.#thread.ask("Debugger.setPauseOnExceptions", { state: isStopping ? "all" : "none" });
  }

  /** The names of all cells, as a reference for `Variables`. */
  async names(hold: Hold): Promise<number> {
    const { objectId } = await this.#thread.channel("names()", { objectGroup: hold });
    return this.variables.namesOn(objectId === undefined ? [] : [objectId], hold);
  }

  /** Ends evaluations, which withdraw names lent to cells, and resumes a stopped thread. */
  async end(): Promise<void> {
    this.evaluator.interrupt();
    await this.evaluator.idle();
    // A thread that stops while the session is disconnected stays stopped, so V8's pending pause is cleared first.
    await this.#thread.ask("Debugger.disable");
    this.close();
  }

  close(): void {
    this.#thread.close();
  }
}

/** Whether a condition only compares and combines names, numbers and strings, so that it cannot loop. */
function isPlain(condition: string): boolean {
  const code = condition.replace(literals, "0");
  return !keywords.test(code) && plainCode.test(code);
}

const literals = /"[^"\\\n]*"|'[^'\\\n]*'|\d+\.\d+/g;
const keywords = /\b(new|in|instanceof|await|yield|import|class|function)\b/;
const plainCode = /^[\p{ID_Continue}$\s+\-*%<>=!&|]*$/u;

/** A condition that can read variables in fields. It may end in a comment. */
function conditionCode(condition: string): string {
  return `globalThis[Symbol.for(${JSON.stringify(debugChannelName)})].holds(() => (${condition}\n))`;
}

/** @param linesBefore number of script lines before the first line that positions count */
function placesIn(
  script: DebugScript,
  locations: readonly Debugger.BreakLocation[],
  linesBefore: number,
): readonly Place[] {
  return locations.flatMap(({ lineNumber, columnNumber = 0, type }) => {
    const line = lineNumber - linesBefore;
    const position = line < 0 ? undefined : script.locate(line + 1, columnNumber + 1);
    if (!position) return [];
    return [{ line: position.line, isReturn: type === "return", at: { lineNumber: line, columnNumber } }];
  });
}

/**
 * The first position of a line, otherwise of the next line that has one. The end of a function is used only if there is
 * no other.
 */
function placeFor(line: number, places: readonly Place[]): Place | undefined {
  const next = Math.min(...places.map((place) => place.line).filter((each) => each >= line));
  const there = places.filter((place) => place.line === next);
  return there.find(({ isReturn }) => !isReturn) ?? there[0];
}

function resultOf({ result, exceptionDetails }: Runtime.EvaluateReturnType): RemoteValue {
  if (!exceptionDetails) return result;
  const { exception, text } = exceptionDetails;
  throw new DebugError(exception?.description?.split("\n")[0] ?? String(exception?.value ?? text));
}
