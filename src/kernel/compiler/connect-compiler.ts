import type { MessagePort } from "node:worker_threads";
import type { EngineName } from "../engine/cell/engine-name.js";
import type { CellLanguage } from "../engine/cell/language-engine.js";

/** What the compiler's thread is started with. */
export interface CompilerThreadData {
  readonly ports: readonly MessagePort[];
  readonly directory: string;
  readonly engine: EngineName;
}

/** The questions that a compiler answers. */
const methods = [
  ...(["compile", "complete", "inspect", "isComplete", "warnings"] as const),
  ...(["findModule", "compileModule", "interrupt", "retract"] as const),
];
type CompilerMethod = (typeof methods)[number];

/** A question to a compiler in another thread. */
interface CompilerCall {
  readonly id: number;
  readonly method: CompilerMethod;
  readonly values: readonly unknown[];
}

/** Its answer. */
type CompilerAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: string };

/** `CellLanguage` as those see it who do not know in which thread it is. */
export type RemoteCompiler = {
  readonly [Method in CompilerMethod]: (
    ...values: Parameters<CellLanguage[Method]>
  ) => Promise<Awaited<ReturnType<CellLanguage[Method]>>>;
};

/** A compiler that answers questions by `ask`. */
function compilerOf(ask: (method: CompilerMethod, values: readonly unknown[]) => Promise<unknown>): RemoteCompiler {
  const entries = methods.map((method) => [method, (...values: unknown[]) => ask(method, values)] as const);
  return Object.fromEntries(entries) as RemoteCompiler;
}

/** The compiler at the other end of `port`. */
export function connectCompiler(port: MessagePort): RemoteCompiler {
  const waiting = new Map<number, (answer: CompilerAnswer) => void>();
  let count = 0;
  port.on("message", (answer: CompilerAnswer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  return compilerOf(
    (method, values) =>
      new Promise((resolve, reject) => {
        const call: CompilerCall = { id: ++count, method, values };
        waiting.set(call.id, (answer) => {
          if ("failure" in answer) reject(new Error(answer.failure));
          else resolve(answer.value);
        });
        port.postMessage(call);
      }),
  );
}

/** A compiler of this thread, which is loaded when someone asks. */
export function ownCompiler(load: () => Promise<CellLanguage>): RemoteCompiler {
  return compilerOf(async (method, values) => {
    const language = await load();
    return Reflect.apply(language[method], language, values);
  });
}

/** Answers who asks at the other end of `port`. */
export function serveCompiler(compiler: RemoteCompiler, port: MessagePort): void {
  port.on("message", async ({ id, method, values }: CompilerCall) => {
    const answer = (content: CompilerAnswer) => port.postMessage(content);
    try {
      answer({ id, value: await Reflect.apply(compiler[method], compiler, values) });
    } catch (error) {
      answer({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
}
