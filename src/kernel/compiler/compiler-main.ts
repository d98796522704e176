/** The program of the thread that owns a compiler which is no process of its own. */
import { workerData } from "node:worker_threads";
import { createLanguage } from "../engine/create-language.js";
import { type CompilerThreadData, ownCompiler, serveCompiler } from "./connect-compiler.js";

const { ports, directory, engine } = workerData as CompilerThreadData;
const language = await createLanguage(directory, engine);
const compiler = ownCompiler(async () => language);
for (const port of ports) serveCompiler(compiler, port);
