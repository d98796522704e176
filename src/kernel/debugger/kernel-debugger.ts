import { basename } from "node:path";
import { depthProblem } from "../../core/code-depth.js";
import { reasonOf } from "../../core/show-value.js";
import type { CompiledCell } from "../engine/cell/language-engine.js";
import type { Content } from "../wire/message.js";
import type { DebugSession } from "./debug-session.js";
import { cellPaths } from "./debug-sources.js";
import { DebugError } from "./inspected-thread.js";
import type { ResumeKind, StoppedFrame } from "./stops.js";

type Answer = (session: DebugSession, values: Content) => Content | Promise<Content>;

/** The only thread that is debugged. */
const cellThreadId = 1;

/** The only exception filter: V8 cannot predict which exceptions a cell would catch. */
const raised = "raised";

/** The supported requests of the Debug Adapter Protocol. */
const capabilities: Content = {
  supportsConfigurationDoneRequest: true,
  supportsConditionalBreakpoints: true,
  supportsEvaluateForHovers: true,
  exceptionBreakpointFilters: [{ filter: raised, label: "Raised exceptions", default: false }],
};

/** Handlers that need a session, by command. */
const debugAnswers: Readonly<Record<string, Answer>> = {
  configurationDone: () => ({}),
  dumpCell: ({ sources }, { code }) => ({ sourcePath: sources.dump(String(code ?? "")) }),
  setBreakpoints,
  setExceptionBreakpoints: async (session, { filters }) => {
    await session.stopAtErrors(Array.isArray(filters) && filters.includes(raised));
    return {};
  },
  threads: () => ({ threads: [{ id: cellThreadId, name: "Cells" }] }),
  stackTrace: ({ stops }, { startFrame = 0, levels }) => {
    const from = Number(startFrame);
    const frames = stops.frames.map(stackFrame);
    const to = Number(levels ?? 0) > 0 ? from + Number(levels) : undefined;
    return { stackFrames: frames.slice(from, to), totalFrames: frames.length };
  },
  scopes: (session, { frameId }) => scopes(session, frameOf(session, frameId)),
  variables: async ({ variables }, { variablesReference, start, count }) => ({
    variables: await variables.inside(
      Number(variablesReference),
      Number(start ?? 0),
      Number(count ?? 0) > 0 ? Number(count) : undefined,
    ),
  }),
  inspectVariables: async (session) => {
    await session.variables.forget("session");
    return { variables: await session.variables.inside(await session.names("session")) };
  },
  richInspectVariables: async (session, { variableName, frameId }) => {
    const frame = session.stops.isStopped ? frameOf(session, frameId ?? 1) : undefined;
    return {
      data: await session.evaluator.bundle(codeIn(variableName), frame, frame ? "stop" : "session"),
      metadata: {},
    };
  },
  evaluate: async (session, { expression, frameId }) => {
    const frame = session.stops.isStopped ? frameOf(session, frameId ?? 1) : undefined;
    const hold = frame ? "stop" : "session";
    const value = await session.evaluator.evaluate(codeIn(expression), frame, hold);
    const { value: result, variablesReference } = session.variables.variable("", value, hold);
    return { result, variablesReference };
  },
  source: ({ sources }, { source }) => ({
    content: sources.code(pathIn(source)),
    mimeType: "text/x-typescript",
  }),
  continue: going("resume"),
  next: going("stepOver"),
  stepIn: going("stepInto"),
  stepOut: going("stepOut"),
  pause: async ({ stops }) => {
    await stops.pause();
    return {};
  },
};

/** Commands that resume a stopped cell. */
const goingOn: ReadonlySet<string> = new Set(["continue", "next", "stepIn", "stepOut"]);

/** Speaks Jupyter's debug protocol: the Debug Adapter Protocol with extra requests. */
export class KernelDebugger {
  readonly #sendEvent: (event: Content) => void;
  #session: DebugSession | undefined;
  #starting: Promise<void> | undefined;
  #ending: Promise<void> | undefined;
  #count = 0;

  /** @param sendEvent broadcasts the content of a `debug_event` */
  constructor(sendEvent: (event: Content) => void) {
    this.#sendEvent = sendEvent;
  }

  /** Handles a `debug_request`. The reply contains any error. */
  async handle({ seq = 0, command: name, arguments: values }: Content): Promise<Content> {
    const command = String(name ?? "");
    const response = { type: "response", seq: ++this.#count, request_seq: seq, command };
    try {
      const body = await this.#answer(command, Object(values ?? {}));
      if (command === "attach") this.#event("initialized", {});
      return { ...response, success: true, body };
    } catch (error) {
      return { ...response, success: false, message: reasonOf(error), body: {} };
    }
  }

  /**
   * Sets the breakpoints of the cell that runs next. Never fails: if breakpoints cannot be set, the cell runs without
   * them.
   */
  async prepare(cell: CompiledCell): Promise<void> {
    await this.#session?.prepare(cell).catch(() => undefined);
  }

  /** Ends a stopped run while `work` continues. */
  async release(work: () => Promise<void>): Promise<void> {
    const session = this.#session;
    session?.evaluator.interrupt();
    // The work must not wait: otherwise the next cell could begin and be stopped instead.
    const released = session?.stops.release().catch(() => undefined);
    await Promise.all([released, work()]);
    session?.stops.hold();
  }

  /** Disconnects immediately because the kernel ends. */
  close(): void {
    this.#session?.close();
    this.#session = undefined;
    this.#starting = undefined;
  }

  /** Resumes a stopped cell. */
  async #end(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    const session = this.#session;
    this.#session = undefined;
    this.#starting = undefined;
    await session?.end();
  }

  async #answer(command: string, values: Content): Promise<Content> {
    switch (command) {
      case "initialize":
        return capabilities;
      case "debugInfo":
        return debugInfo(this.#session);
      case "attach":
      case "launch":
        this.#starting ??= this.#start().catch((error: unknown) => {
          this.#starting = undefined;
          throw error;
        });
        await this.#starting;
        return {};
      case "disconnect":
      case "terminate":
        this.#ending ??= this.#end().finally(() => {
          this.#ending = undefined;
        });
        await this.#ending;
        return {};
    }
    const answer = Object.hasOwn(debugAnswers, command) ? debugAnswers[command] : undefined;
    if (!answer) throw new DebugError(`Unsupported debugger command: ${command}.`);
    if (!this.#session) throw new DebugError(`No debug session is active. Send attach before ${command}.`);
    // Updated first: the thread may stop again before it replies.
    if (goingOn.has(command) && this.#session.stops.isStopped) {
      this.#event("continued", { threadId: cellThreadId, allThreadsContinued: true });
    }
    return answer(this.#session, values);
  }

  async #start(): Promise<void> {
    const { DebugSession } = await import("./debug-session.js");
    await this.#ending;
    this.#session = await DebugSession.start((stopped) =>
      this.#event("stopped", { threadId: cellThreadId, allThreadsStopped: true, ...stopped }),
    );
  }

  #event(event: string, body: Content): void {
    this.#sendEvent({ type: "event", seq: ++this.#count, event, body });
  }
}

/** The initial requests of clients, whether or not a session is active. */
function debugInfo(session: DebugSession | undefined): Content {
  const breakpoints = [...(session?.breakpoints.all ?? [])].map(([source, set]) => ({ source, breakpoints: set }));
  return {
    isStarted: session !== undefined,
    ...cellPaths,
    breakpoints,
    stoppedThreads: session?.stops.isStopped ? [cellThreadId] : [],
    richRendering: true,
    exceptionPaths: [raised],
    copyToGlobals: false,
  };
}

async function setBreakpoints({ breakpoints }: DebugSession, values: Content): Promise<Content> {
  const path = pathIn(values["source"]);
  const requested = (Array.isArray(values["breakpoints"]) ? values["breakpoints"] : []).map((each: Content) => ({
    line: Number(each["line"]),
    ...(typeof each["condition"] === "string" ? { condition: codeIn(each["condition"]) } : {}),
  }));
  const lines = await breakpoints.set(path, requested);
  return { breakpoints: lines.map((line) => ({ verified: true, line, source: { path } })) };
}

function going(way: ResumeKind): Answer {
  return async (session) => {
    if (!session.stops.isStopped) throw new DebugError("No cell is stopped.");
    await session.variables.forget("stop");
    await session.stops.go(way);
    return way === "resume" ? { allThreadsContinued: true } : {};
  };
}

function stackFrame({ name, script: { path }, position }: StoppedFrame, index: number): Content {
  return { id: index + 1, name, ...position, source: { name: basename(path), path, sourceReference: 0 } };
}

function frameOf({ stops }: DebugSession, id: unknown): StoppedFrame {
  const frame = stops.frames[Number(id) - 1];
  if (!frame) throw new DebugError(`Unknown frame: ${String(id)}. The cell is not stopped there.`);
  return frame;
}

/** The scopes up to the function of the frame, the enclosing scopes, and the names of all cells. */
async function scopes(session: DebugSession, { scopeChain }: StoppedFrame): Promise<Content> {
  const inner = scopeChain.filter(({ type }) => type !== "global" && type !== "script");
  const end = inner.findIndex(({ type }) => type === "local") + 1;
  const parts = [
    { name: "Locals", presentationHint: "locals", objects: inner.slice(0, end) },
    { name: "Closure", presentationHint: "closure", objects: inner.slice(end) },
  ];
  const lines = parts
    .filter(({ objects }) => objects.length > 0)
    .map(({ name, presentationHint, objects }) => ({
      ...{ name, presentationHint, expensive: false },
      variablesReference: session.variables.namesOn(
        objects.flatMap(({ object }) => object.objectId ?? []),
        "stop",
      ),
    }));
  const variablesReference = await session.names("stop");
  return { scopes: [...lines, { name: "Notebook", expensive: false, variablesReference }] };
}

/** @throws DebugError if the code is nested too deeply */
function codeIn(value: unknown): string {
  const code = String(value ?? "");
  const problem = depthProblem(code);
  if (problem) throw new DebugError(problem.message);
  return code;
}

function pathIn(source: unknown): string {
  const path: unknown = typeof source === "object" && source !== null ? Reflect.get(source, "path") : undefined;
  if (typeof path !== "string") throw new DebugError("The request has no source path.");
  return path;
}
