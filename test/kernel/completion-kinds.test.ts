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
describe.runIf(testedEngine === "typescript")("a completion says", () => {
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
  ])("what %s of an earlier cell is: %s", async (name, kind) => {
    expect((await kernel.execute(cell)).reply["status"]).toBe("ok");
    expect(await kindOf("kind", name)).toBe(kind);
    expect(await kindOf(`const a = 1; ${name}`, name)).toBe(kind);
  });

  test("what types of an earlier cell are", async () => {
    expect((await kernel.execute(cell)).reply["status"]).toBe("ok");
    expect(await kindOf("let a: kindSh", "kindShape")).toBe("interface");
    expect(await kindOf("let a: kindAl", "kindAlias")).toBe("class");
    expect(await kindOf("let a: kindDi", "kindDirent")).toBe("class");
  });

  test("what names of this cell, global ones, words, members and modules are", async () => {
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

  test("what a name has become that is declared anew, and what hides it", async () => {
    await kernel.execute("const kindTurn = 1;");
    expect(await kindOf("kindTu", "kindTurn")).toBe("instance");
    await kernel.execute("function kindTurn() {}");
    expect(await kindOf("kindTu", "kindTurn")).toBe("function");
    const code = "const kindTurn = 1; kindTu";
    expect(await kindOf(code, "kindTurn")).toBe("instance");
    const member = "({ kindTurn: 1 }).kindTu";
    expect(await kindOf(member, "kindTurn")).toBe("property");
  });

  test("where it goes, in code points, and that texts are texts", async () => {
    await kernel.execute('import { table } from "arquero"; const kinds = table({ park: [1] });');
    // Whoever types does not wait for long: a thread that has no turn in time is not heard.
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

  test("nothing where nothing is offered", async () => {
    expect((await complete("kindNothingOfThisName")).reply["metadata"]).toEqual({});
  });
});
