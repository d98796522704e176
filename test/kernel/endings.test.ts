import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { KernelClient } from "./support/kernel-client.js";

describe("the kernel", () => {
  test.each(["1", "while (true) {}", "process.on('exit', () => { while (true) {} });"])(
    "ends on shutdown, also after %j",
    async (code) => {
      const ending = await KernelClient.start();
      void ending.execute(code).catch(() => undefined);
      await pause(2500);
      const ended = once(ending.process, "exit");
      const { reply, outputs } = await ending.ask("shutdown_request", { restart: true }, "control");
      expect(reply).toEqual({ status: "ok", restart: true });
      expect(outputs.map(({ type }) => type)).toContain("shutdown_reply");
      await ended;
      await ending.close();
    },
  );

  test.each(["while (true) {}", "throw new Error('no end');"])(
    "ends also where a cell's own exit handler would not have it: %j",
    async (handler) => {
      const ending = await KernelClient.start();
      const ended = once(ending.process, "exit");
      void ending.execute(`process.on("exit", () => { ${handler} });\nprocess.exit(3);`).catch(() => undefined);
      await ended;
      await ending.close();
    },
  );

  test.each(["process.exit(3)", "setTimeout(() => process.exit(3), 50);\nawait new Promise(() => {});"])(
    "ends as a cell wants it to, with what it printed before: %j",
    async (code) => {
      const ending = await KernelClient.start();
      const ended = once(ending.process, "exit");
      void ending.execute(`console.log("bye");\n${code}`).catch(() => undefined);
      expect(await ended).toEqual([3, null]);
      await expect.poll(() => ending.broadcasts.some(({ content }) => content["text"] === "bye\n")).toBe(true);
      await ending.close();
    },
  );
});
