import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testedEngine } from "../support/tested-engine.js";
import { KernelClient } from "./support/kernel-client.js";

let kernel: KernelClient;

interface Typed {
  readonly text: string;
  readonly type: string;
  readonly start: number;
  readonly end: number;
}
const complete = async (code: string, position = [...code].length) => {
  const { reply } = await kernel.ask("complete_request", { code, cursor_pos: position });
  const typed: readonly Typed[] = reply["metadata"]["_jupyter_types_experimental"] ?? [];
  expect(typed.map(({ text }) => text)).toEqual(reply["matches"]);
  return { reply, typed };
};
const kindOf = async (code: string, text: string) =>
  (await complete(code)).typed.find((one) => one.text === text)?.type;
/** One name of each sort. */
const cell = `import * as kindPath from "node:path";
import kindEvents from "node:events";
import kindSystem, { existsSync as kindExists } from "node:fs";
import kindRequired = require("node:os");
import type { Dirent as kindDirent } from "node:fs";
import { Stats as kindStats } from "node:fs";
function kindPlain() {}
class kindClass {}
enum kindEnum { one }
namespace kindSpace { export const a = 1; }
interface kindShape { a: number }
type kindAlias = string | number;
const kindArrow = () => 1, kindMade = Math.max, kindSame = kindClass;
let kindLet = (a: number) => a;
const kindObject = { method() {}, value: 1 };
let kindNumber = 4;
const kindMap = new Map<string, number>();`;

// The other engine's completion has no kinds.
describe.runIf(testedEngine === "typescript")("completions have the kind", () => {
  beforeAll(async () => {
    kernel = await KernelClient.start();
  });
  afterAll(() => kernel?.close());

  test.each([
    ["kindPlain", "function"],
    ["kindClass", "class"],
    ["kindEnum", "enum"],
    ["kindSpace", "module"],
    ["kindArrow", "function"],
    ["kindMade", "function"],
    ["kindSame", "class"],
    ["kindLet", "function"],
    ["kindObject", "instance"],
    ["kindNumber", "instance"],
    ["kindMap", "instance"],
    ["kindPath", "module"],
    ["kindEvents", "class"],
    ["kindExists", "function"],
    ["kindSystem", "module"],
    ["kindRequired", "module"],
    ["kindStats", "class"],
  ])("of %s in an earlier cell: %s", async (name, kind) => {
    expect((await kernel.execute(cell)).reply["status"]).toBe("ok");
    expect(await kindOf("kind", name)).toBe(kind);
    expect(await kindOf(`const a = 1; ${name}`, name)).toBe(kind);
  });

  test("of types in an earlier cell", async () => {
    expect((await kernel.execute(cell)).reply["status"]).toBe("ok");
    expect(await kindOf("let a: kindSh", "kindShape")).toBe("interface");
    expect(await kindOf("let a: kindAl", "kindAlias")).toBe("class");
    expect(await kindOf("let a: kindDi", "kindDirent")).toBe("class");
  });

  test("of names in this cell, globals, keywords, members and modules", async () => {
    const own = "function ownCall() {}\nclass OwnClass { go() {} size = 1; }\nconst ownValue = 1;\n";
    expect(await kindOf(`${own}own`, "ownCall")).toBe("function");
    expect(await kindOf(`${own}own`, "ownValue")).toBe("instance");
    expect(await kindOf(`${own}Own`, "OwnClass")).toBe("class");
    expect(await kindOf(`${own}new OwnClass().`, "go")).toBe("method");
    expect(await kindOf(`${own}new OwnClass().`, "size")).toBe("property");
    const global = [
      ["Map", "class"],
      ["Math", "instance"],
      ["parseInt", "function"],
      ["display", "function"],
      ["connect", "function"],
      ["aq", "module"],
      ["Plot", "module"],
      ["await", "keyword"],
    ] as const;
    for (const [name, kind] of global) expect([name, await kindOf(name.slice(0, -1), name)]).toEqual([name, kind]);
    expect(await kindOf('import { a } from "node:fs/', "promises")).toBe("module");
  });

  test("of a redeclared name, and of a name that hides it", async () => {
    await kernel.execute("const kindTurn = 1;");
    expect(await kindOf("kindTu", "kindTurn")).toBe("instance");
    await kernel.execute("function kindTurn() {}");
    expect(await kindOf("kindTu", "kindTurn")).toBe("function");
    const code = "const kindTurn = 1; kindTu";
    expect(await kindOf(code, "kindTurn")).toBe("instance");
    const member = "({ kindTurn: 1 }).kindTu";
    expect(await kindOf(member, "kindTurn")).toBe("property");
  });

  test("of strings, and their position in code points", async () => {
    await kernel.execute('import { table } from "arquero"; const kinds = table({ park: [1] });');
    // Completion has a time limit, which a busy machine can exceed.
    await expect
      .poll(() => complete('"😀"; kinds.get("'))
      .toMatchObject({
        typed: expect.arrayContaining([{ text: "park", type: "text", start: 16, end: 16 }]),
        reply: { cursor_start: 16, cursor_end: 16 },
      });
    const mode = await complete('const mode: "fast" | "slow" = "');
    expect(mode.typed.map(({ text, type }) => [text, type])).toEqual([
      ["fast", "text"],
      ["slow", "text"],
    ]);
  });

  test("of no name without a completion", async () => {
    expect((await complete("kindNothingOfThisName")).reply["metadata"]).toEqual({});
  });
});
