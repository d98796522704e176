/** The program of the thread that owns an in-process compiler. */

import { workerData } from "node:worker_threads";
import { createLanguage } from "../engine/create-language.js";
import type { CompilerThreadData } from "./compiler-thread.js";
import { ownCompiler, serveCompiler } from "./connect-compiler.js";

const { port, directory, engine, state } = workerData as CompilerThreadData;
const language = await createLanguage(directory, engine, { state });
serveCompiler(
  ownCompiler(async () => language),
  port,
  () => language.state,
);
