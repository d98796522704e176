import type { MessagePort } from "node:worker_threads";
import type { CellLanguage } from "../engine/cell/language-engine.js";

/** The calls that a compiler supports. */
const methods = [
  ...(["compile", "complete", "inspect", "isComplete", "warnings"] as const),
  ...(["findModule", "compileModule", "interrupt", "retract"] as const),
];
export type CompilerMethod = (typeof methods)[number];

/** A call to a compiler in another thread. */
interface CompilerCall {
  readonly id: number;
  readonly method: CompilerMethod;
  readonly values: readonly unknown[];
}

/** The result of a call. */
type CompilerAnswer = { readonly id: number; readonly state?: string } & (
  | { readonly value: unknown }
  | { readonly failure: string }
);

/** `CellLanguage` for callers in any thread. */
export type RemoteCompiler = {
  readonly [Method in CompilerMethod]: (
    ...values: Parameters<CellLanguage[Method]>
  ) => Promise<Awaited<ReturnType<CellLanguage[Method]>>>;
};

/** A compiler that is called through `ask`. */
export function compilerOf(
  ask: (method: CompilerMethod, values: readonly unknown[]) => Promise<unknown>,
): RemoteCompiler {
  const entries = methods.map((method) => [method, (...values: unknown[]) => ask(method, values)] as const);
  return Object.fromEntries(entries) as RemoteCompiler;
}

/** The connection to a compiler in another thread. */
export class CompilerLine {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #state: string;
  #count = 0;

  constructor(port: MessagePort, state = "") {
    this.#port = port;
    this.#state = state;
    port.on("message", (answer: CompilerAnswer) => {
      const request = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      this.#state = answer.state ?? this.#state;
      if ("failure" in answer) request?.reject(new Error(answer.failure));
      else request?.resolve(answer.value);
    });
  }

  /** The last state that the compiler has reported, or the state that it was created with. See `CellLanguage`. */
  get state(): string {
    return this.#state;
  }

  /** Whether a call is pending. */
  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  ask(method: CompilerMethod, values: readonly unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const call: CompilerCall = { id: ++this.#count, method, values };
      this.#waiting.set(call.id, { resolve, reject });
      this.#port.postMessage(call);
    });
  }

  /** @param reason rejects the pending calls */
  close(reason: Error): void {
    this.#port.close();
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }
}

/** The compiler at the other end of `port`. */
export function connectCompiler(port: MessagePort): RemoteCompiler {
  const line = new CompilerLine(port);
  return compilerOf((method, values) => line.ask(method, values));
}

/** A compiler in this thread, loaded on the first call. */
export function ownCompiler(load: () => Promise<CellLanguage>): RemoteCompiler {
  return compilerOf(async (method, values) => {
    const language = await load();
    return Reflect.apply(language[method], language, values);
  });
}

/**
 * Handles calls from the other end of `port`.
 *
 * @param readState reads the compiler's state, which is sent with a result if it has changed
 */
export function serveCompiler(
  compiler: RemoteCompiler,
  port: MessagePort,
  readState: () => string | undefined = () => undefined,
): void {
  let printed: string | undefined;
  port.on("message", async ({ id, method, values }: CompilerCall) => {
    const answer = (content: CompilerAnswer) => {
      const state = readState();
      port.postMessage(state === printed || state === undefined ? content : { ...content, state });
      printed = state;
    };
    try {
      answer({ id, value: await Reflect.apply(compiler[method], compiler, values) });
    } catch (error) {
      answer({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
}
