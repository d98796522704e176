import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { KernelClient, result, texts } from "./support/kernel-client.js";

let kernel: KernelClient;
const project = mkdtempSync(join(tmpdir(), "siteframe-project-"));
const write = (name: string, text: string) => writeFileSync(join(project, name), text);

beforeAll(async () => {
  write("tsconfig.json", JSON.stringify({ compilerOptions: { strict: true, nothing: 1 } }));
  write("helpers.ts", "export const n: number = 1;\nexport function spin(): never { for (;;); }");
  kernel = await KernelClient.start({ cwd: project });
});
afterAll(async () => {
  await kernel.close();
  rmSync(project, { recursive: true });
});

test("the first cell that anyone sees tells what is wrong with tsconfig.json, and runs", async () => {
  expect(texts(await kernel.execute("1", { silent: true }))).toEqual([]);
  const first = await kernel.execute("1 + 1");
  expect(texts(first)).toEqual(["stderr: tsconfig.json:1:35: Unknown compiler option 'nothing'.\n"]);
  expect(result(first)).toBe("2");
  expect(texts(await kernel.execute("2"))).toEqual([]);
});

test("options of tsconfig.json hold in cells", async () => {
  expect((await kernel.execute("const f = (x) => x;")).reply["evalue"]).toContain("TS7006");
});

test("a file beside the notebook is imported, and again when it has changed", async () => {
  expect(result(await kernel.execute('import { n } from "./helpers";\nn'))).toBe("1");
  write("helpers.ts", "export const n: string = 'now';\nexport function spin(): never { for (;;); }");
  expect(result(await kernel.execute('import { n } from "./helpers.js";\nn.length'))).toBe("3");
  expect(result(await kernel.execute("(await import('./helpers.ts')).n"))).toBe("'now'");
});

test("an interrupt stops a loop in a file, also while it is being loaded", async () => {
  const cells = ['import { spin } from "./helpers.ts";\nspin();', 'await import("./endless.ts");'];
  write("endless.ts", "export const a = 1;\nfor (;;);");
  for (const cell of cells) {
    const { executed } = await kernel.executing(cell);
    await pause(400);
    await kernel.ask("interrupt_request", {}, "control");
    expect((await executed).reply).toMatchObject({ status: "error", ename: "AbortError" });
    expect(result(await kernel.execute("n"))).toBe("'now'");
  }
  write("endless.ts", "export const a = 1;");
  expect(result(await kernel.execute('(await import("./endless.ts")).a'))).toBe("1");
});
