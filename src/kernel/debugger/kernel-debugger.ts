import { reasonOf } from "../../core/reason-of.js";
import type { CompiledCell } from "../engine/cell/language-engine.js";
import { capabilities, cellThreadId, debugAnswers, debugInfo } from "./debug-answers.js";
import { DebugError } from "./debug-error.js";
import type { DebugSession } from "./debug-session.js";

type Content = Readonly<Record<string, unknown>>;

/** Commands after which a stopped cell runs again. */
const goingOn: ReadonlySet<string> = new Set(["continue", "next", "stepIn", "stepOut"]);

/** Speaks the debug protocol of Jupyter, which is the Debug Adapter Protocol and some requests more. */
export class KernelDebugger {
  readonly #sendEvent: (event: Content) => void;
  #session: DebugSession | undefined;
  #starting: Promise<void> | undefined;
  #count = 0;

  /** @param sendEvent broadcasts the content of a `debug_event` */
  constructor(sendEvent: (event: Content) => void) {
    this.#sendEvent = sendEvent;
  }

  /** Answers a `debug_request`. What is wrong with it is told in the answer. */
  async handle({ seq = 0, command: asked, arguments: values }: Content): Promise<Content> {
    const command = String(asked ?? "");
    const response = { type: "response", seq: ++this.#count, request_seq: seq, command };
    try {
      const body = await this.#answer(command, Object(values ?? {}));
      if (command === "attach") this.#event("initialized", {});
      return { ...response, success: true, body };
    } catch (error) {
      return { ...response, success: false, message: reasonOf(error), body: {} };
    }
  }

  /** Sets the breakpoints of a cell that runs next. Never fails: the cell runs without them rather than not at all. */
  async prepare(cell: CompiledCell): Promise<void> {
    await this.#session?.prepare(cell).catch(() => undefined);
  }

  /** Ends what runs where it is stopped, while `work` goes on. */
  async release(work: () => Promise<void>): Promise<void> {
    const session = this.#session;
    await session?.stops.release().catch(() => undefined);
    await work();
    session?.stops.hold();
  }

  /** A stopped cell runs on. */
  close(): void {
    this.#session?.close();
    this.#session = undefined;
    this.#starting = undefined;
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
        this.close();
        return {};
    }
    const answer = Object.hasOwn(debugAnswers, command) ? debugAnswers[command] : undefined;
    if (!answer) throw new DebugError(`Siteframe's debugger knows no ${command}.`);
    if (!this.#session) throw new DebugError(`Nothing is debugged: ask for attach before ${command}.`);
    // First, since it may stop again before it has answered.
    if (goingOn.has(command) && this.#session.stops.isStopped) {
      this.#event("continued", { threadId: cellThreadId, allThreadsContinued: true });
    }
    return answer(this.#session, values);
  }

  async #start(): Promise<void> {
    const { DebugSession } = await import("./debug-session.js");
    this.#session = await DebugSession.start((stopped) =>
      this.#event("stopped", { threadId: cellThreadId, allThreadsStopped: true, ...stopped }),
    );
  }

  #event(event: string, body: Content): void {
    this.#sendEvent({ type: "event", seq: ++this.#count, event, body });
  }
}
