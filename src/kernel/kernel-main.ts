/**
 * The program of the kernel: `node kernel-main.js CONNECTION_FILE [--engine NAME]`. It imports nothing before SIGINT, which
 * would end the process until then, has a handler.
 */

// There is nothing to interrupt yet.
process.on("SIGINT", () => undefined);

const { startKernel } = await import("./start-kernel.js");
await startKernel(process.argv.slice(2));
