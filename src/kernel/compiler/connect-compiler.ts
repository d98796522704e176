import type { MessagePort } from "node:worker_threads";
import type { CompilerAnswer, CompilerCall, CompilerMethod, RemoteCompiler } from "./compiler-calls.js";

/** The compiler at the other end of `port`. */
export function connectCompiler(port: MessagePort): RemoteCompiler {
  const waiting = new Map<number, (answer: CompilerAnswer) => void>();
  let count = 0;
  port.on("message", (answer: CompilerAnswer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  const ask = <Value>(method: CompilerMethod, values: readonly unknown[]): Promise<Value> =>
    new Promise((resolve, reject) => {
      const call: CompilerCall = { id: ++count, method, values };
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
