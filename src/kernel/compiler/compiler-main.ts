/** The program of the thread that owns the compiler. */
import { type MessagePort, workerData } from "node:worker_threads";
import { createLanguage } from "../engine/create-language.js";
import type { CompilerAnswer, CompilerCall, CompilerThreadData } from "./compiler-calls.js";

const { ports, directory, engine } = workerData as CompilerThreadData & { readonly ports: readonly MessagePort[] };
const compiler = await createLanguage(directory, engine);

for (const port of ports) {
  port.on("message", async ({ id, method, values }: CompilerCall) => {
    const answer = (content: CompilerAnswer) => port.postMessage(content);
    try {
      answer({ id, value: await Reflect.apply(compiler[method], compiler, values) });
    } catch (error) {
      answer({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
}
