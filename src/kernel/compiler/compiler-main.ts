/** The program of the thread that owns the compiler. */
import { type MessagePort, workerData } from "node:worker_threads";
import { CellCompiler } from "../engine/compile/cell-compiler.js";
import type { CompilerAnswer, CompilerCall } from "./compiler-calls.js";

const { ports, directory } = workerData as { readonly ports: readonly MessagePort[]; readonly directory: string };
const compiler = new CellCompiler(directory);

for (const port of ports) {
  port.on("message", ({ id, method, values }: CompilerCall) => {
    const answer = (content: CompilerAnswer) => port.postMessage(content);
    try {
      answer({ id, value: Reflect.apply(compiler[method], compiler, values) });
    } catch (error) {
      answer({ id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
}
