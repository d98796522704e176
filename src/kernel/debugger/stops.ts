import type { Debugger } from "node:inspector";
import type { CellPosition } from "../engine/cell/cell-positions.js";
import type { DebugScript, DebugSources, ThreadScripts } from "./debug-sources.js";
import type { InspectedThread, RemoteValue } from "./inspected-thread.js";

/** How a stopped thread resumes. */
export type ResumeKind = "resume" | "stepOver" | "stepInto" | "stepOut";

/** A frame of a cell or a local module, while the thread is stopped. */
export interface StoppedFrame extends Pick<Debugger.CallFrame, "callFrameId" | "scopeChain"> {
  readonly name: string;
  readonly script: DebugScript;
  readonly position: CellPosition;
}

/** Why the thread stopped, as the Debug Adapter Protocol names it. */
export interface StopReason {
  readonly reason: "breakpoint" | "step" | "pause" | "exception";
  readonly text?: string;
}

/** See `Breakpoints.met`. */
interface MetBreakpoints {
  met(breakpointIds: readonly string[], callFrameId: string): Promise<readonly string[]>;
}

/** Dependencies for locating stops. */
interface StopParts {
  readonly sources: DebugSources;
  readonly scripts: ThreadScripts;
  readonly breakpoints: MetBreakpoints;
  /** Called when the thread stops. */
  readonly onStop: (reason: StopReason) => void;
}

/** Maximum number of steps in one line, or in code that is not the user's. */
const maxSteps = 200;

/**
 * The stop of the thread of the cells, and how it resumes. It stops only in cells and local modules: a step into
 * other code continues until it returns.
 */
export class Stops {
  readonly #thread: InspectedThread;
  readonly #sources: DebugSources;
  readonly #scripts: ThreadScripts;
  readonly #breakpoints: MetBreakpoints;
  readonly #onStop: (reason: StopReason) => void;
  #frames: readonly StoppedFrame[] = [];
  #callFrameId: string | undefined;
  #step: ResumeKind | undefined;
  #steps = 0;
  /** Position at which the step began, in the format of `placeOf`. */
  #start = "";
  #isReleased = false;
  #isPausing = false;

  constructor(thread: InspectedThread, { sources, scripts, breakpoints, onStop }: StopParts) {
    this.#thread = thread;
    this.#sources = sources;
    this.#scripts = scripts;
    this.#breakpoints = breakpoints;
    this.#onStop = onStop;
    thread.on("Debugger.paused", (paused: Debugger.PausedEventDataType) => {
      this.#callFrameId = paused.callFrames[0]?.callFrameId;
      void this.#take(paused);
    });
    thread.on("Debugger.resumed", () => {
      this.#callFrameId = undefined;
      this.#frames = [];
    });
  }

  /** The frames of cells and local modules, innermost first; empty unless the thread is stopped. */
  get frames(): readonly StoppedFrame[] {
    return this.#frames;
  }

  get isStopped(): boolean {
    return this.#frames.length > 0;
  }

  /** The innermost frame, including stops hidden from clients. */
  get callFrameId(): string | undefined {
    return this.#callFrameId;
  }

  async go(going: ResumeKind): Promise<void> {
    this.#step = going === "resume" ? undefined : going;
    this.#steps = 0;
    this.#start = placeOf(this.#frames);
    this.#frames = [];
    await this.#thread.ask(`Debugger.${going}`);
  }

  /** Stops at the next statement. */
  async pause(): Promise<void> {
    this.#isPausing = true;
    await this.#thread.ask("Debugger.pause");
  }

  /** Ends the stopped run. The thread does not stop again until `hold`. */
  async release(): Promise<void> {
    this.#isReleased = true;
    this.#step = undefined;
    this.#frames = [];
    if (this.#callFrameId !== undefined) await this.#thread.ask("Debugger.resume", { terminateOnResume: true });
  }

  /** Reverts `release`. */
  hold(): void {
    this.#isReleased = false;
  }

  async #take({ callFrames, reason, data: thrown, hitBreakpoints = [] }: Debugger.PausedEventDataType): Promise<void> {
    const data = thrown as RemoteValue | undefined;
    const step = this.#step;
    try {
      await this.#scripts.learned;
      const frames = callFrames.map((frame) => this.#frame(frame));
      const located = frames.filter((frame) => frame !== undefined);
      const [top] = located;
      if (!top || this.#isReleased || isOfKernel(data)) return await this.go("resume");
      const met = await this.#breakpoints.met(hitBreakpoints, top.callFrameId);
      const isHit = met.length > 0 || isException(reason);
      const isStep = step !== undefined && !isHit;
      const isUnmet = hitBreakpoints.length > 0 && !isHit && !isStep && !this.#isPausing;
      if (isUnmet || this.#isReleased) return await this.go("resume");
      if (isStep && ++this.#steps < maxSteps) {
        if (!frames[0]) return await this.#thread.ask("Debugger.stepOut");
        // Statements on one line are one step, and so is code that reads a name of another cell or is not JavaScript.
        if (placeOf(located) === this.#start) return await this.#thread.ask(`Debugger.${step}`);
      }
      this.#step = undefined;
      this.#frames = located;
      this.#onStop(isStep ? { reason: "step" } : this.#reason(reason, data, met));
    } catch {
      // The debugger was disconnected, and the thread resumes.
    }
  }

  /** On Node 20, as on later versions, the inspector reports a requested pause like a `debugger` statement. */
  #reason(reason: string, data: RemoteValue | undefined, hit: readonly string[]): StopReason {
    const isPause = this.#isPausing && hit.length === 0;
    this.#isPausing = false;
    if (isException(reason)) return { reason: "exception", text: (data?.description ?? "").split("\n", 1).join() };
    return { reason: isPause ? "pause" : "breakpoint" };
  }

  /** A user's frame, without the frames around a cell. */
  #frame({ callFrameId, functionName, location, scopeChain }: Debugger.CallFrame): StoppedFrame | undefined {
    const compiled = this.#scripts.byId(location.scriptId);
    const script = compiled && this.#sources.script(compiled.url);
    const { lineNumber, columnNumber = 0 } = location;
    if (!script || lineNumber < 0 || lineNumber >= compiled.endLine) return undefined;
    const position = script.locate(lineNumber + 1, columnNumber + 1);
    return position && { callFrameId, name: functionName || script.name, script, position, scopeChain };
  }
}

/** The innermost line and its depth. */
function placeOf(frames: readonly StoppedFrame[]): string {
  const [top] = frames;
  return top ? `${frames.length} ${top.position.line} ${top.script.name}` : "";
}

function isException(reason: string): boolean {
  return reason === "exception" || reason === "promiseRejection";
}

/** Thrown into a stopped cell: see `CellStopped`. */
function isOfKernel(data: RemoteValue | undefined): boolean {
  return data?.className === "CellStopped";
}
