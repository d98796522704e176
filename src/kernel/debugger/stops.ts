import type { Debugger } from "node:inspector";
import type { CellPosition } from "../engine/cell/cell-positions.js";
import type { InspectedThread, RemoteValue } from "./inspected-thread.js";
import type { KnownScript, KnownSources, ThreadScripts } from "./known-sources.js";

/** How a stopped thread goes on. */
export type Going = "resume" | "stepOver" | "stepInto" | "stepOut";

/** A frame of a cell or a local module, while the thread is stopped. */
export interface StoppedFrame extends Pick<Debugger.CallFrame, "callFrameId" | "scopeChain"> {
  readonly name: string;
  readonly script: KnownScript;
  readonly position: CellPosition;
}

/** Why the thread has stopped, in the words of the Debug Adapter Protocol. */
export interface StopReason {
  readonly reason: "breakpoint" | "step" | "pause" | "exception";
  readonly text?: string;
}

/** See `Breakpoints.met`. */
interface MetBreakpoints {
  met(breakpointIds: readonly string[], callFrameId: string): Promise<readonly string[]>;
}

/** What stops are found with. */
interface StopParts {
  readonly sources: KnownSources;
  readonly scripts: ThreadScripts;
  readonly breakpoints: MetBreakpoints;
  /** Called when the thread has stopped. */
  readonly onStop: (reason: StopReason) => void;
}

/** More steps than this in one line, or in code that is not the user's, are an end. */
const maxSteps = 200;

/**
 * Where the thread of the cells is stopped, and how it goes on. It stops in cells and local modules alone: a step that
 * leads elsewhere goes on until it is back.
 */
export class Stops {
  readonly #thread: InspectedThread;
  readonly #sources: KnownSources;
  readonly #scripts: ThreadScripts;
  readonly #breakpoints: MetBreakpoints;
  readonly #onStop: (reason: StopReason) => void;
  #frames: readonly StoppedFrame[] = [];
  #callFrameId: string | undefined;
  #step: Going | undefined;
  #steps = 0;
  /** Where the step began, as `placeOf` has it. */
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

  /** The frames of cells and local modules, the innermost first; none while the thread is not stopped. */
  get frames(): readonly StoppedFrame[] {
    return this.#frames;
  }

  get isStopped(): boolean {
    return this.#frames.length > 0;
  }

  /** The innermost frame, also of a stop that clients do not see. */
  get callFrameId(): string | undefined {
    return this.#callFrameId;
  }

  async go(going: Going): Promise<void> {
    this.#step = going === "resume" ? undefined : going;
    this.#steps = 0;
    this.#start = placeOf(this.#frames);
    this.#frames = [];
    await this.#thread.ask(`Debugger.${going}`);
  }

  /** Stops at whatever runs next. */
  async pause(): Promise<void> {
    this.#isPausing = true;
    await this.#thread.ask("Debugger.pause");
  }

  /** Ends what runs where it is stopped. It stops no more until `hold`. */
  async release(): Promise<void> {
    this.#isReleased = true;
    this.#step = undefined;
    this.#frames = [];
    if (this.#callFrameId !== undefined) await this.#thread.ask("Debugger.resume", { terminateOnResume: true });
  }

  /** Takes back a `release`. */
  hold(): void {
    this.#isReleased = false;
  }

  async #take({ callFrames, reason, data: thrown, hitBreakpoints = [] }: Debugger.PausedEventDataType): Promise<void> {
    const data = thrown as RemoteValue | undefined;
    const step = this.#step;
    try {
      await this.#scripts.learned;
      const frames = callFrames.map((frame) => this.#frame(frame));
      const known = frames.filter((frame) => frame !== undefined);
      const [top] = known;
      if (!top || this.#isReleased || isOfKernel(data)) return await this.go("resume");
      const met = await this.#breakpoints.met(hitBreakpoints, top.callFrameId);
      const isHit = met.length > 0 || isException(reason);
      const isStep = step !== undefined && !isHit;
      const isUnmet = hitBreakpoints.length > 0 && !isHit && !isStep && !this.#isPausing;
      if (isUnmet || this.#isReleased) return await this.go("resume");
      if (isStep && ++this.#steps < maxSteps) {
        if (!frames[0]) return await this.#thread.ask("Debugger.stepOut");
        // Statements of one line are one step; so are what reads a name of another cell, and what is not JavaScript.
        if (placeOf(known) === this.#start) return await this.#thread.ask(`Debugger.${step}`);
      }
      this.#step = undefined;
      this.#frames = known;
      this.#onStop(isStep ? { reason: "step" } : this.#reason(reason, data, met));
    } catch {
      // The debugger was disconnected, and the thread goes on.
    }
  }

  /** The inspector of Node 20 tells a pause that was asked for from a `debugger` statement no more than newer ones do. */
  #reason(reason: string, data: RemoteValue | undefined, hit: readonly string[]): StopReason {
    const isPause = this.#isPausing && hit.length === 0;
    this.#isPausing = false;
    if (isException(reason)) return { reason: "exception", text: data?.description?.split("\n", 1)[0] ?? "" };
    return { reason: isPause ? "pause" : "breakpoint" };
  }

  /** A frame that is the user's, and not of what stands around a cell. */
  #frame({ callFrameId, functionName, location, scopeChain }: Debugger.CallFrame): StoppedFrame | undefined {
    const compiled = this.#scripts.byId(location.scriptId);
    const script = compiled && this.#sources.script(compiled.url);
    const { lineNumber, columnNumber = 0 } = location;
    if (!script || lineNumber < 0 || lineNumber >= compiled.endLine) return undefined;
    const position = script.locate(lineNumber + 1, columnNumber + 1);
    return position && { callFrameId, name: functionName || script.name, script, position, scopeChain };
  }
}

/** The innermost line, and how deep it is. */
function placeOf(frames: readonly StoppedFrame[]): string {
  const [top] = frames;
  return top ? `${frames.length} ${top.position.line} ${top.script.name}` : "";
}

function isException(reason: string): boolean {
  return reason === "exception" || reason === "promiseRejection";
}

/** Thrown into a cell that was stopped: see `CellStopped`. */
function isOfKernel(data: RemoteValue | undefined): boolean {
  return data?.className === "CellStopped";
}
