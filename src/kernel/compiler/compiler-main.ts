/** The program of the thread that owns the compiler. */
import { workerData } from "node:worker_threads";
import { createLanguage } from "../engine/create-language.js";
import type { CompilerAnswer, CompilerCall, CompilerThreadData } from "./connect-compiler.js";

const { ports, directory, engine } = workerData as CompilerThreadData;
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
