import type { MessagePort } from "node:worker_threads";
import type { EngineName } from "../engine/cell/engine-name.js";
import type { CellLanguage } from "../engine/cell/language-engine.js";

/** What the compiler's thread is started with. */
export interface CompilerThreadData {
  readonly ports: readonly MessagePort[];
  readonly directory: string;
  readonly engine: EngineName;
}

/** The questions that the compiler's thread answers. */
const methods = [
  ...(["compile", "complete", "inspect", "isComplete", "warnings"] as const),
  ...(["findModule", "compileModule"] as const),
];
type CompilerMethod = (typeof methods)[number];

/** A question to the compiler's thread. */
export interface CompilerCall {
  readonly id: number;
  readonly method: CompilerMethod;
  readonly values: readonly unknown[];
}

/** Its answer. */
export type CompilerAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: string };

/** `CellLanguage` as seen from another thread. */
export type RemoteCompiler = {
  readonly [Method in CompilerMethod]: (
    ...values: Parameters<CellLanguage[Method]>
  ) => Promise<Awaited<ReturnType<CellLanguage[Method]>>>;
};

/** The compiler at the other end of `port`. */
export function connectCompiler(port: MessagePort): RemoteCompiler {
  const waiting = new Map<number, (answer: CompilerAnswer) => void>();
  let count = 0;
  port.on("message", (answer: CompilerAnswer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  const ask = (method: CompilerMethod, values: readonly unknown[]) =>
    new Promise((resolve, reject) => {
      const call: CompilerCall = { id: ++count, method, values };
      waiting.set(call.id, (answer) => {
        if ("failure" in answer) reject(new Error(answer.failure));
        else resolve(answer.value);
      });
      port.postMessage(call);
    });
  const entries = methods.map((method) => [method, (...values: unknown[]) => ask(method, values)] as const);
  return Object.fromEntries(entries) as RemoteCompiler;
}
