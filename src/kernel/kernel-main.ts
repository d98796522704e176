/**
 * The program of the kernel: `node kernel-main.js CONNECTION_FILE`. This thread runs the cells; one worker owns the
 * sockets and a second one the TypeScript compiler, so that the kernel answers while a cell is busy.
 */
import { MessageChannel, Worker } from "node:worker_threads";
import { OutputBrake } from "./output-brake.js";
import type { LinkData } from "./thread-messages.js";

const [connectionFile = ""] = process.argv.slice(2);
const brake = OutputBrake.memory();
const { port1: languagePort, port2: linkPort } = new MessageChannel();

const language = new Worker(new URL("./language/language-main.js", import.meta.url), {
  workerData: { port: languagePort, directory: process.cwd() },
  transferList: [languagePort],
  // The compiler keeps most of what it makes; more room for what is short-lived would only be memory unused.
  resourceLimits: { maxYoungGenerationSizeMb: 12 },
});
const data: LinkData = { connectionFile, brake };
const link = new Worker(new URL("./link/link-main.js", import.meta.url), {
  workerData: { ...data, languagePort: linkPort },
  transferList: [linkPort],
  resourceLimits: { maxYoungGenerationSizeMb: 6 },
});

for (const worker of [language, link]) {
  worker.on("error", (error) => {
    process.stderr.write(`${error.stack ?? error.message}\n`);
    process.exit(1);
  });
}

const { CellThread } = await import("./cell-thread.js");
new CellThread(process.cwd(), link, new OutputBrake(brake)).listen();
