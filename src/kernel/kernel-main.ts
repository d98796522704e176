/**
 * The program of the kernel: `node kernel-main.js CONNECTION_FILE [--engine NAME]`. It installs a handler for SIGINT,
 * which would end the process until then, before any import.
 */

// There is nothing to interrupt yet.
process.on("SIGINT", () => undefined);

// Node loads CommonJS faster than modules.
const load = process.getBuiltinModule("node:module").createRequire(import.meta.url);
// First, because this thread answers clients that wait for the kernel, and a thread takes longest to start.
const { startSockets } = load("./start-sockets.cjs") as typeof import("./start-sockets.js");
const sockets = startSockets();
const { startKernel } = load("./start-kernel.cjs") as typeof import("./start-kernel.js");
await startKernel(process.argv.slice(2), sockets);
