import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { KernelClient, result, texts } from "./support/kernel-client.js";

let kernel: KernelClient;
const project = temporaryFolder();
const write = (name: string, text: string) => writeFileSync(join(project, name), text);

beforeAll(async () => {
  write("tsconfig.json", JSON.stringify({ compilerOptions: { strict: true, nothing: 1 } }));
  write("helpers.ts", "export function spin(): never { for (;;); }");
  kernel = await KernelClient.start({ cwd: project });
});
afterAll(() => kernel.close());

test("the first visible cell shows errors of tsconfig.json, and runs", async () => {
  expect(texts(await kernel.execute("1", { silent: true }))).toEqual([]);
  const first = await kernel.execute("1 + 1");
  expect(texts(first)).toEqual(["stderr: tsconfig.json:1:35: Unknown compiler option 'nothing'.\n"]);
  expect(result(first)).toBe("2");
  expect(texts(await kernel.execute("2"))).toEqual([]);
});

test("an interrupt stops a loop in a file, also while it is loaded, and a changed file is loaded again", async () => {
  const cells = ['import { spin } from "./helpers.ts";\nspin();', 'await import("./endless.ts");'];
  write("endless.ts", "export const a = 1;\nfor (;;);");
  for (const cell of cells) {
    const { executed } = await kernel.executing(cell);
    await pause(400);
    await kernel.ask("interrupt_request", {}, "control");
    expect((await executed).reply).toMatchObject({ status: "error", ename: "AbortError" });
    expect(result(await kernel.execute("6 * 7"))).toBe("42");
  }
  write("endless.ts", "export const a = 1;");
  expect(result(await kernel.execute('(await import("./endless.ts")).a'))).toBe("1");
});
