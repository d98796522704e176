/**
 * The program of the kernel: `node kernel-main.js CONNECTION_FILE [--engine NAME]`. It imports nothing before SIGINT, which
 * would end the process until then, has a handler.
 */

// There is nothing to interrupt yet.
process.on("SIGINT", () => undefined);

// Node reads CommonJS sooner than modules.
const load = process.getBuiltinModule("node:module").createRequire(import.meta.url);
// First, because this thread answers whoever waits for the kernel, and a thread takes longest to start.
const { startSockets } = load("./start-sockets.cjs") as typeof import("./start-sockets.js");
const sockets = startSockets();
const { startKernel } = load("./start-kernel.cjs") as typeof import("./start-kernel.js");
await startKernel(process.argv.slice(2), sockets);
