import type { MessagePort } from "node:worker_threads";
import type { LanguageAnswer, LanguageCall, LanguageMethod, RemoteLanguage } from "./compiler-calls.js";

/** The compiler at the other end of `port`. */
export function connectLanguage(port: MessagePort): RemoteLanguage {
  const waiting = new Map<number, (answer: LanguageAnswer) => void>();
  let count = 0;
  port.on("message", (answer: LanguageAnswer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  const ask = <Value>(method: LanguageMethod, values: readonly unknown[]): Promise<Value> =>
    new Promise((resolve, reject) => {
      const call: LanguageCall = { id: ++count, method, values };
      waiting.set(call.id, (answer) => {
        if ("failure" in answer) reject(new Error(answer.failure));
        else resolve(answer.value as Value);
      });
      port.postMessage(call);
    });
  return {
    compile: (...values) => ask("compile", values),
    complete: (...values) => ask("complete", values),
    inspect: (...values) => ask("inspect", values),
    isComplete: (...values) => ask("isComplete", values),
    warnings: (...values) => ask("warnings", values),
    findModule: (...values) => ask("findModule", values),
    compileModule: (...values) => ask("compileModule", values),
  };
}
