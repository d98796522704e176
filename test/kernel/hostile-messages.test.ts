import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Content } from "../../src/kernel/wire/message.js";
import { randomRuns } from "../support/random-runs.js";
import { KernelClient, result } from "./support/kernel-client.js";

let kernel: KernelClient;

beforeAll(async () => {
  kernel = await KernelClient.start();
});
afterAll(() => kernel.close());

/** Unexpected JSON values. */
const odd = fc.oneof(
  fc.constantFrom<unknown>(null, true, -1, 1e308, 0.5, "", "\ud800", "__proto__", "x".repeat(70_000), [], {}, [[]]),
  fc.jsonValue({ maxDepth: 3 }),
);

const members: Readonly<Record<string, readonly string[]>> = {
  execute_request: ["code", "silent", "store_history", "user_expressions", "allow_stdin", "stop_on_error"],
  complete_request: ["code", "cursor_pos"],
  inspect_request: ["code", "cursor_pos", "detail_level"],
  is_complete_request: ["code"],
  history_request: ["hist_access_type", "output", "raw", "session", "start", "stop", "n", "pattern", "unique"],
  comm_info_request: ["target_name"],
  kernel_info_request: ["more"],
};
const commMembers = ["comm_id", "target_name", "data"];
const debugMembers = ["type", "seq", "command", "arguments"];
const debugCommands = [
  ...["initialize", "attach", "setBreakpoints", "dumpCell", "configurationDone", "debugInfo", "inspectVariables"],
  ...["richInspectVariables", "stackTrace", "scopes", "variables", "evaluate", "source", "modules", "copyToGlobals"],
  ...["continue", "next", "stepIn", "disconnect", "nothing-of-the-kind", "__proto__"],
];

/** Some members of a message with unexpected values. */
const contentOf = (names: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...names), odd, { maxKeys: names.length, noNullPrototype: true });

async function answersStill(): Promise<void> {
  expect(result(await kernel.execute("6 * 7"))).toBe("42");
  expect(kernel.process.exitCode).toBeNull();
}

describe("messages of hostile clients, or clients of another version", () => {
  test.each(Object.keys(members))("each %s is answered, and the next cell runs", async (type) => {
    await fc.assert(
      fc.asyncProperty(contentOf(members[type] ?? []), async (content) => {
        // Random code must not run.
        const { code } = content;
        if (type === "execute_request" && typeof code === "string") content["code"] = JSON.stringify(code);
        const { reply } = await kernel.ask(type, content as Content);
        expect(reply).toMatchObject({
          status: expect.stringMatching(/^(ok|error|aborted|complete|incomplete|invalid|unknown)$/),
        });
      }),
      { numRuns: 25 },
    );
    await answersStill();
  });

  test("unknown comms do no harm", async () => {
    const types = fc.constantFrom("comm_open", "comm_msg", "comm_close");
    await fc.assert(
      fc.asyncProperty(types, contentOf(commMembers), async (type, content) => {
        await kernel.send(kernel.create(type, content as Content));
      }),
      { numRuns: randomRuns(100) },
    );
    await answersStill();
  });

  test("each debug request is answered, in any order, and a cell runs after a disconnect", async () => {
    const request = fc
      .tuple(
        contentOf(debugMembers),
        fc.constantFrom(...debugCommands),
        contentOf(["source", "breakpoints", "threadId"]),
      )
      .map(([content, command, args]) => ({ type: "request", seq: 1, command, arguments: args, ...content }));
    await fc.assert(
      fc.asyncProperty(request, async (content) => {
        const { reply } = await kernel.ask("debug_request", content, "control");
        expect(reply).toEqual(expect.any(Object));
      }),
      { numRuns: randomRuns(150) },
    );
    await kernel.ask("debug_request", { type: "request", seq: 2, command: "disconnect", arguments: {} }, "control");
    await answersStill();
  });

  test("unknown types do not end the kernel", async () => {
    for (const type of ["", "shutdown", "__proto__", "toString", "execute_reply", "x".repeat(10_000)]) {
      await kernel.send(kernel.create(type, { status: "ok" }));
      await kernel.send(kernel.create(type, {}), "control");
    }
    await answersStill();
  });

  test("messages with a wrong signature run no code", async () => {
    const code = `require("node:fs").writeFileSync("was-here.txt", "")`;
    await kernel.send(kernel.create("execute_request", { code }), "shell", "another key");
    await kernel.send(kernel.create("execute_request", { code }), "control", "");
    await answersStill();
    expect(readdirSync(kernel.folder)).not.toContain("was-here.txt");
  });

  test("memory does not grow with comms that were refused", async () => {
    const memory = () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${kernel.process.pid}/status`, "utf8"))?.[1]) / 1024;
    if (process.platform !== "linux") return;
    const data = { text: "x".repeat(100_000) };
    await answersStill();
    const before = memory();
    for (let count = 0; count < 2000; count += 1) {
      await kernel.send(kernel.create("comm_open", { comm_id: `c${count}`, target_name: "nobody", data }));
      if (count % 200 === 199) await answersStill();
    }
    expect(memory() - before).toBeLessThan(150);
  });
});
