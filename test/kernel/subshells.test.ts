import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { KernelClient, result, texts } from "./support/kernel-client.js";

let kernel: KernelClient;

beforeAll(async () => {
  kernel = await KernelClient.start();
});
afterAll(() => kernel.close());

const control = (type: string, content = {}) => kernel.ask(type, content, "control").then(({ reply }) => reply);
const create = async () => String((await control("create_subshell_request"))["subshell_id"]);
const executeIn = (subshell: string, code: string, options = {}) =>
  kernel.ask("execute_request", { code, ...options }, "shell", subshell);

afterEach(async () => {
  const { subshell_id } = await control("list_subshell_request");
  for (const id of subshell_id) await control("delete_subshell_request", { subshell_id: id });
});

describe("subshells", () => {
  test("are offered, made, listed and deleted", async () => {
    const { reply } = await kernel.ask("kernel_info_request");
    expect(reply["supported_features"]).toContain("kernel subshells");
    const [one, other] = [await create(), await create()];
    expect(await control("list_subshell_request")).toMatchObject({ status: "ok", subshell_id: [one, other] });
    expect(await control("delete_subshell_request", { subshell_id: one })).toMatchObject({ status: "ok" });
    expect(await control("list_subshell_request")).toMatchObject({ subshell_id: [other] });
  });

  test("that do not exist are an error for cells and for deletions", async () => {
    const wrong = { status: "error", ename: "KernelError" };
    expect(await control("delete_subshell_request", { subshell_id: "gone" })).toMatchObject({
      ...wrong,
      evalue: expect.stringContaining('Unknown subshell: "gone"'),
    });
    expect((await executeIn("gone", "1 + 1")).reply).toMatchObject(wrong);
  });

  test("are created on the control channel only", async () => {
    expect((await kernel.ask("create_subshell_request")).reply).toMatchObject({ status: "error" });
  });

  test("run during a cell that awaits something, and share its names", async () => {
    const subshell = await create();
    const { executed } = await kernel.executing(
      'let turns = 1; await new Promise((go) => { globalThis.goOn = go; }); console.log("main"); turns',
    );
    const beside = await executeIn(subshell, 'console.log("beside"); turns += 41; turns');
    expect([result(beside), texts(beside)]).toEqual(["42", ["stdout: beside\n"]]);
    expect(await executeIn(subshell, "throw new Error('no')")).toMatchObject({
      reply: { status: "error", evalue: "no" },
    });
    await executeIn(subshell, "globalThis.goOn()");
    const main = await executed;
    expect([result(main), texts(main)]).toEqual(["42", ["stdout: main\n"]]);
  });

  test("share the execution count, and each runs its cells one after the other", async () => {
    const [one, other] = [await create(), await create()];
    const first = Number((await kernel.execute("1")).reply["execution_count"]);
    const untilReleased = "while (!globalThis.mayEnd) await new Promise((go) => setTimeout(go, 5));";
    const wait = executeIn(one, `${untilReleased} globalThis.ended = true; 1`);
    const behind = executeIn(one, "globalThis.ended");
    const beside = await executeIn(other, "globalThis.ended");
    expect(result(beside)).not.toBe("true");
    await executeIn(other, "globalThis.mayEnd = true", { store_history: false });
    expect(result(await behind)).toBe("true");
    const counts = [await wait, await behind, beside].map(({ reply }) => Number(reply["execution_count"]) - first);
    expect(counts.toSorted()).toEqual([1, 2, 3]);
  });

  test("abort waiting cells when deleted, and let the running cell end", async () => {
    const subshell = await create();
    const running = executeIn(subshell, 'await new Promise((go) => { globalThis.goOn = go; }); "ran"');
    const waiting = executeIn(subshell, "1");
    await kernel.next(({ type }) => type === "execute_input");
    // A request on the control channel can overtake a cell. A reply on the shell channel ensures that the cell arrived.
    await kernel.ask("kernel_info_request");
    await control("delete_subshell_request", { subshell_id: subshell });
    expect((await waiting).reply).toMatchObject({ status: "aborted" });
    await kernel.execute("globalThis.goOn()");
    expect(result(await running)).toBe("'ran'");
  });

  test("are interrupted with the shell", async () => {
    const subshell = await create();
    const never = executeIn(subshell, "await new Promise(() => {})");
    await kernel.next(({ type }) => type === "execute_input");
    const { executed } = await kernel.executing("await new Promise(() => {})");
    await control("interrupt_request");
    for (const { reply } of [await never, await executed]) {
      expect(reply).toMatchObject({ status: "error", evalue: expect.stringMatching(/interrupt/i) });
    }
    expect(result(await executeIn(subshell, "6 * 7"))).toBe("42");
  });
});

describe("during a running cell", () => {
  test("values and columns complete while it awaits something", async () => {
    await kernel.execute('const stock = aq.table({ state: ["open", "closed"] });');
    const { executed } = await kernel.executing("await new Promise((go) => { globalThis.goOn = go; });");
    const code = 'stock.filter((d) => d.state === "';
    // Completion has a time limit, which a busy machine can exceed.
    await expect
      .poll(async () => (await kernel.ask("complete_request", { code, cursor_pos: code.length })).reply["matches"])
      .toEqual(expect.arrayContaining(["open", "closed"]));
    const subshell = await create();
    await executeIn(subshell, "globalThis.goOn()");
    expect((await executed).reply).toMatchObject({ status: "ok" });
  });

  test("a loop delays only cells: other requests are answered", async () => {
    const file = join(kernel.folder, "enough");
    const { executed } = await kernel.executing(
      `const { existsSync } = await import("node:fs");\nwhile (!existsSync(${JSON.stringify(file)}));`,
    );
    const subshell = await create();
    const beside = executeIn(subshell, "6 * 7");
    const code = 'stock.filter((d) => d.state === "';
    for (const [type, content] of [
      ["complete_request", { code, cursor_pos: code.length }],
      ["inspect_request", { code: "stock", cursor_pos: 3 }],
      ["is_complete_request", { code: "1 +" }],
      ["kernel_info_request", {}],
    ] as const) {
      expect((await kernel.ask(type, content)).reply["status"]).not.toBe("error");
    }
    expect(await control("usage_request")).toMatchObject({ status: "ok" });
    writeFileSync(file, "");
    await executed;
    expect(result(await beside)).toBe("42");
  });
});

describe("usage", () => {
  test("reports the CPU and memory of the kernel and its host", async () => {
    const begun = performance.now();
    await control("usage_request");
    const cell = "let sum = 0; for (let n = 0; n < 3e8; n++) sum += n; process.cpuUsage(before).user";
    const spentUs = Number(result(await kernel.execute(`const before = process.cpuUsage(); ${cell}`)));
    const usage = await control("usage_request");
    const elapsedMs = performance.now() - begun;
    expect(usage).toMatchObject({ hostname: hostname(), pid: kernel.process.pid });
    // It includes the CPU time of the cell, and covers at most the time measured here.
    expect(spentUs).toBeGreaterThan(50_000);
    expect(usage["kernel_cpu"]).toBeGreaterThan((0.9 * 100 * (spentUs / 1000)) / elapsedMs);
    expect(usage["kernel_memory"]).toBeGreaterThan(20e6);
    expect(usage["host_cpu_percent"]).toBeGreaterThan(0);
    expect(usage["host_cpu_percent"]).toBeLessThanOrEqual(100);
    const { total, available, used, percent } = usage["host_virtual_memory"];
    expect(used).toBe(total - available);
    expect(percent).toBeCloseTo((100 * used) / total);
  });
});
