import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Content } from "../../src/kernel/wire/message.js";
import { KernelClient, result } from "./support/kernel-client.js";

let kernel: KernelClient;

beforeAll(async () => {
  kernel = await KernelClient.start();
  await kernel.execute("let kept = 5");
});
afterAll(() => kernel.close());

async function expectVariables(): Promise<void> {
  expect(result(await kernel.execute("kept"))).toBe("5");
}

const brackets = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < depth; level += 1) value = [value];
  return value;
}

describe("code that is nested too deeply", () => {
  test.each([
    ["brackets", brackets(10_000)],
    ["prefixes", `${"!".repeat(50_000)}kept`],
    ["choices", `${"kept ? 1 : ".repeat(20_000)}2`],
    ["conditions", `${"if (kept)\n".repeat(20_000)}kept`],
    ["types", `type T = ${"Array<".repeat(20_000)}string${">".repeat(20_000)}`],
  ])("fails with an error that names the limit: %s", async (_, code) => {
    const { reply } = await kernel.execute(code);
    expect(reply).toMatchObject({
      status: "error",
      ename: "TypeScriptError",
      evalue: expect.stringMatching(/^\d+:\d+ - The code is nested \d\d,\d{3} levels deep\. Limit: 500\. /),
    });
    await expectVariables();
  });

  test("fails as a chain of too many parts", async () => {
    const { reply } = await kernel.execute(`kept${" + kept".repeat(100_000)}`);
    expect(reply).toMatchObject({ status: "error", evalue: expect.stringContaining("Limit: 10,000.") });
    await expectVariables();
  });

  test("is not completed, explained or found complete", async () => {
    const code = brackets(10_000);
    const at = { code, cursor_pos: 10_000 };
    expect((await kernel.ask("complete_request", at)).reply).toMatchObject({ status: "ok", matches: [] });
    expect((await kernel.ask("inspect_request", { ...at, detail_level: 0 })).reply).toMatchObject({ found: false });
    expect((await kernel.ask("is_complete_request", { code })).reply).toMatchObject({ status: "invalid" });
    await expectVariables();
  });

  test("fails as an expression beside a cell, and in the debugger", async () => {
    const { reply } = await kernel.ask("execute_request", {
      code: "kept",
      user_expressions: { deep: brackets(10_000), kept: "kept" },
    });
    expect(reply).toMatchObject({
      status: "ok",
      user_expressions: { deep: { status: "error" }, kept: { data: { "text/plain": "5" } } },
    });
    const debug = (command: string, values: Content) =>
      kernel.ask("debug_request", { type: "request", seq: 1, command, arguments: values }, "control");
    expect((await debug("attach", {})).reply).toMatchObject({ success: true });
    expect((await debug("evaluate", { expression: brackets(10_000) })).reply).toMatchObject({
      success: false,
      message: expect.stringContaining("Limit: 500."),
    });
    expect((await debug("disconnect", {})).reply).toMatchObject({ success: true });
    await expectVariables();
  });
});

test("500 levels, and chains of thousands, run", async () => {
  expect(result(await kernel.execute(`JSON.stringify(${brackets(499)}).length`))).toBe("998");
  expect(result(await kernel.execute(`1${" + 1".repeat(4999)}`))).toBe("5000");
  expect(result(await kernel.execute(`[1]${".concat()".repeat(1000)}`))).toBe("[ 1 ]");
});

describe("messages that are nested too deeply", () => {
  test.each(["header", "parent", "metadata", "content"] as const)("are dropped: %s", async (part) => {
    for (const type of ["kernel_info_request", "execute_request", "comm_open", "debug_request"]) {
      const message = kernel.create(type, { code: "kept = 6" });
      await kernel.send({ ...message, [part]: { ...message[part], extra: nested(3000) } });
    }
    await expectVariables();
  });

  test("are not sent: an output fails its cell", async () => {
    await kernel.execute("let deep: unknown = []; for (let i = 0; i < 600; i++) deep = [deep];");
    const { reply } = await kernel.execute('comms.open("anything", { data: { deep } as never })');
    expect(reply).toMatchObject({ status: "error", evalue: expect.stringContaining("deeper than 500 levels") });
    await expectVariables();
  });
});
