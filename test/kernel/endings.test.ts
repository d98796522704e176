import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { engineNames } from "../../src/kernel/engine/cell/engine-name.js";
import { KernelClient, kernelCommand, result } from "./support/kernel-client.js";

type End = readonly [code: number | null, signal: string | null];

/** Starts a kernel that runs a cell. It is closed after the test. */
async function startEnding(code: string): Promise<{ readonly kernel: KernelClient; readonly end: Promise<End> }> {
  const kernel = await KernelClient.start();
  onTestFinished(() => kernel.close());
  const end = once(kernel.process, "exit").then(([exitCode, signal]): End => [exitCode, signal]);
  void kernel.execute(code).catch(() => undefined);
  return { kernel, end };
}

/**
 * Sends SIGINT to the process each time it loads a file of Siteframe, until the cell thread is loaded, and none for the
 * compiler's thread, which each interrupt starts again.
 */
const signals = `let isOver = false;
export function load(url, context, next) {
  isOver ||= url.endsWith("/compiler-main.js");
  if (!isOver && url.includes("/dist/") && !url.endsWith("/kernel-main.js")) process.kill(process.pid, "SIGINT");
  isOver ||= url.endsWith("/cell-thread.js");
  return next(url, context);
}`;
const program = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;
/** `load` does not see CommonJS. */
const sendsSignals = `import { Module, register } from "node:module";
const load = Module._extensions[".js"];
Module._extensions[".js"] = (module, path) => {
  if (/dist.kernel.[^]*\\.cjs$/.test(path)) process.kill(process.pid, "SIGINT");
  load(module, path);
};
register(${JSON.stringify(program(signals))});`;

describe("the kernel", () => {
  test.skipIf(process.platform === "win32").for(engineNames)(
    "of %s lives through an interrupt while it starts",
    async (engine) => {
      const kernel = await KernelClient.start({
        command: (file) => {
          const [node, ...args] = kernelCommand(file, engine);
          return [node, "--import", program(sendsSignals), ...args];
        },
      });
      onTestFinished(() => kernel.close());
      let exchange = await kernel.execute("1 + 1");
      // The kernel may handle earlier signals during its first cells.
      while (exchange.reply["ename"] === "AbortError") exchange = await kernel.execute("1 + 1");
      expect(result(exchange)).toBe("2");
    },
  );

  test.each(["1;", "while (true) {}", "process.on('exit', () => { while (true) {} });"])(
    "ends on shutdown, also after %j",
    async (code) => {
      const { kernel, end } = await startEnding(`console.log("begun");\n${code}`);
      await kernel.begun("begun");
      const { reply, outputs } = await kernel.ask("shutdown_request", { restart: true }, "control");
      expect(reply).toEqual({ status: "ok", restart: true });
      expect(outputs.map(({ type }) => type)).toContain("shutdown_reply");
      await end;
    },
  );

  test.each(["while (true) {}", "throw new Error('no end');"])(
    "ends despite an exit handler of a cell: %j",
    async (handler) => {
      const { end } = await startEnding(`process.on("exit", () => { ${handler} });\nprocess.exit(3);`);
      expect(await end).toEqual([null, "SIGKILL"]);
    },
  );

  test.each(["process.exit(3)", "setTimeout(() => process.exit(3), 50);\nawait new Promise(() => {});"])(
    "ends with the exit code of a cell, after its output: %j",
    async (code) => {
      const { kernel, end } = await startEnding(`console.log("bye");\n${code}`);
      expect(await end).toEqual([3, null]);
      await expect.poll(() => kernel.broadcasts.some(({ content }) => content["text"] === "bye\n")).toBe(true);
    },
  );
});
