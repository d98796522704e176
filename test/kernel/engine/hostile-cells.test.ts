import { type ChildProcess, execFileSync } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { LanguageEngine } from "../../../src/kernel/engine/cell/language-engine.js";
import { createEngine } from "../../../src/kernel/engine/create-engine.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { RecordingSink } from "./recording-sink.js";
import { errorOfCells, resultOfCells, useNodeConsole } from "./run-cells.js";

/** Valid cells that look odd, and the result of the last one. */
type Case = readonly [title: string, cells: readonly string[], result: string | undefined];

const files: Readonly<Record<string, string>> = {
  "shapes.ts": "export const a = 1; export interface I { x: number } export enum Z { Q = 4 }",
  "proto.ts": "const Object = 1; export const __proto__ = 4;",
};

describe("unusual cells", () => {
  const directory = temporaryFolder();
  let engine: LanguageEngine;
  let sink: RecordingSink;
  let restoreConsole: () => void;

  const resultOf = (cells: readonly string[]) => resultOfCells(engine, sink, cells);
  const errorOf = (...cells: string[]) => errorOfCells(engine, sink, cells);

  beforeAll(async () => {
    restoreConsole = useNodeConsole();
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
    engine = await createEngine({ directory, engine: "typescript" });
  });
  beforeEach(() => {
    engine.reset();
    sink = new RecordingSink();
  });
  afterAll(() => {
    engine.close();
    restoreConsole();
  });

  const spaces: readonly Case[] = [
    ["a type of an earlier value", ["const U = { a: 1 }", "type U = typeof U", "const u: U = U; u.a"], "1"],
    ["a value of an earlier type", ["interface U { a: number }", "const U = { a: 2 }", "const u: U = U; u.a"], "2"],
    ["a type over a class", ["class U { a = 1 }", "type U = string", "const u: U = 'b'; new U().a + u"], "'1b'"],
    ["a value over a class", ["class A { v = 1 }", "const A = 5; let b: A; A + 1", "A + 2"], "7"],
    ["a generic type and a variable", ["type B<T> = T; let B = 1", "const b: B<string> = 'x'; B++; b + B"], "'x2'"],
    ["a function and a type", ["function f() { return 1 }", "interface f { a: 1 }", "f()"], "1"],
    ["an import and a type", ["import { Z } from './shapes'", "type Z = 'x'", "const z: Z = 'x'; Z.Q + z"], "'4x'"],
    ["a value that is declared to be there", ["const x = 5", "declare const x: string", "typeof x"], "'undefined'"],
    ["a namespace in a namespace", ["namespace A.B { export const c = 1 }", "A.B.c"], "1"],
    ["a declared namespace in a namespace", ["declare namespace Q.R { type T = 5 }", "const t: Q.R.T = 5; t"], "5"],
  ];

  const early: readonly Case[] = [
    ["the earlier value", ["let d = 1; const clean = () => d + 1;", "const d = clean()", "[d, clean()]"], "[ 2, 3 ]"],
    ["its own value after it is set", ["let d = 1; const read = () => d;", "const d = 5; read()"], "5"],
    ["its own value, assigned to", ["let d = 1; const put = (n: number) => { d = n }", "let d = 2; put(4); d"], "4"],
    ["the earlier value, assigned to", ["let d = 1; const add = () => ++d;", "let d = add() + add(); d"], "5"],
  ];

  const names: readonly Case[] = [
    ["__proto__", ["let __proto__ = 5", "__proto__++; __proto__"], "6"],
    [
      "members of objects",
      ["let constructor = 5, toString = 6, valueOf = 7", "[constructor, toString, valueOf]"],
      "[ 5, 6, 7 ]",
    ],
    ["Object", ["const Object = 5; const f = () => Object;", "f() + Object"], "10"],
    ["_ and $", ["let _ = 1, $ = 2", "_ = 3; $ = 4; [_, $]"], "[ 3, 4 ]"],
    ["an export __proto__", ["import { __proto__ as p } from './proto'; p"], "4"],
  ];

  const self = "type Self = typeof self; function self(this: unknown, ..._: unknown[]) { return this === undefined }";
  const rewrites: readonly Case[] = [
    [
      "a function in brackets, without `this`",
      [self, "[(self as Self)(), self!(), (self)(), (<Self>self)()]"],
      "[ true, true, true, true ]",
    ],
    ["a tag without `this`", [self, "const other = 1\nself`x`"], "true"],
    ["tags that begin lines", [self, "let n = self\nself`x`\nself`y`"], "true"],
    ["names with escapes", ["let abc = 1", "\\u0061bc = 5; ({ \\u{61}bc }).abc + abc"], "10"],
    [
      "a parameter beside a variable of the body",
      ["let x = 5", "function f(a = x) { var x = 1; return a + x } f()"],
      "6",
    ],
    ["an alias of a namespace's member", ["namespace A { export const c = 1 }", "import d = A.c;", "d"], "1"],
    [
      "an alias of a type",
      ["namespace A { export type T = 5 }", "import T = A.T; const t: T = 5; t", "const u: T = t; u"],
      "5",
    ],
    [
      "namespaces of one name",
      ["const a = 9", "namespace N { export const a = 1 } namespace N { export const b = a } N.b"],
      "1",
    ],
    ["enums of one name", ["const A = 9", "enum E { A = 1 } enum E { B = A + 1 } E.B"], "2"],
    ["members of enums in quotes", ["const c = 9", "enum E { 'c' = 2, d = c } E.d"], "2"],
    ["a sum of 5,000", ["const one = 1", `${"one + ".repeat(5000)}0`], "5000"],
  ];

  const resource = `const disposed: string[] = []; let caught: any;
const resource = (name: string, fails = false) =>
  ({ [Symbol.dispose]() { disposed.push(name); if (fails) throw new Error(name); } });`;
  const disposals: readonly Case[] = [
    [
      "values, the last one first",
      [resource, "{ using a = resource('a'), none = null, b = resource('b'); disposed.push('end'); } disposed"],
      "[ 'end', 'b', 'a' ]",
    ],
    [
      "values of a block that fails",
      [
        resource,
        "try { using a = resource('a'); throw new RangeError('far'); } catch (error) { caught = error; } [caught.message, disposed]",
      ],
      "[ 'far', [ 'a' ] ]",
    ],
    [
      "all values if disposals fail, and each error holds the previous one",
      [
        resource,
        "try { using a = resource('a', true), b = resource('b', true); } catch (error) { caught = error; }",
        "[caught.name, caught.error.message, caught.suppressed.message, disposed]",
      ],
      "[ 'SuppressedError', 'a', 'b', [ 'b', 'a' ] ]",
    ],
    [
      "asynchronous values in their turn",
      [
        `${resource} const late = () => ({ async [Symbol.asyncDispose]() { await new Promise((go) => setTimeout(go, 5)); disposed.push("late"); } });`,
        "{ await using one = late(); using soon = resource('soon'); await using none = undefined; } disposed",
      ],
      "[ 'soon', 'late' ]",
    ],
  ];

  describe.each(
    Object.entries({
      "types and values of one name": spaces,
      "a redeclared name means, while its cell runs,": early,
      "names of all kinds:": names,
      "rewritten code:": rewrites,
      "`using` disposes of": disposals,
    }),
  )("%s", (_, cases) => {
    test.each(cases)("%s", async (_, cells, result) => {
      expect(await resultOf(cells)).toBe(result);
    });
  });

  test("`using` refuses values that cannot be disposed of", async () => {
    expect(await errorOf("using own = {} as Disposable;")).toMatchObject({ ename: "TypeError", line: 1 });
  });

  test("a name that a failed cell redeclared is undefined", async () => {
    const cells = ["let d = 1; const read = () => d;", "const d = read() + JSON.parse('null').x", "[read(), d]"];
    const error = await errorOf(...cells.slice(0, 2));
    expect(error.traceback).toContain("`d` is undefined: the cell failed first.");
    expect(await resultOf(cells.slice(2))).toBe("[ undefined, undefined ]");
  });

  test("components of an object in small letters", async () => {
    const folder = await mkdtemp(join(tmpdir(), "siteframe-hostile-jsx-"));
    await writeFile(join(folder, "tsconfig.json"), '{"compilerOptions": {"jsx": "react", "jsxFactory": "h"}}');
    const other = await createEngine({ directory: folder, engine: "typescript" });
    const cells = ["const h = (tag: any) => tag()", "const ui = { Button: () => 'pressed' }", "<ui.Button />"];
    expect(await resultOfCells(other, sink, cells)).toBe("'pressed'");
    other.close();
    await rm(folder, { recursive: true });
  });

  test.each(["process.cwd(; ", "console.table(; const x"])("invalid syntax gets no type errors: %s", async (code) => {
    expect((await errorOf(code)).traceback.join("\n")).not.toMatch(/TS2\d\d\d/);
  });

  test("a killed compiler is restarted for a process that waits for nothing else", () => {
    const script = `
      import { subscribe } from "node:diagnostics_channel";
      import { createEngine } from "./modules/kernel/engine/create-engine.js";
      const started = [];
      subscribe("child_process", ({ process }) => started.push(process));
      const engine = await createEngine({ directory: ${JSON.stringify(directory)}, engine: "typescript" });
      const run = async (code) => (await engine.execute(code, { sink: {} })).result?.["text/plain"];
      await run("const a = 1");
      process.kill(started[0].pid, "SIGKILL");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
      console.log(await run("a + 1"), started.length);
      engine.close();`;
    expect(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })).toBe("2 2\n");
  });

  test("a compiler that dies too often is restarted after a minute, however many cells run before", async () => {
    const started: ChildProcess[] = [];
    const take = (message: unknown) => started.push((message as { process: ChildProcess }).process);
    subscribe("child_process", take);
    vi.useFakeTimers({ toFake: ["Date"] });
    const other = await createEngine({ directory, engine: "typescript" });
    const status = async () => (await other.execute("1", { sink })).status;
    for (let count = 0; count < 6; count++) {
      expect(await status()).toBe("ok");
      started.at(-1)?.kill("SIGKILL");
    }
    vi.setSystemTime(Date.now() + 30_000);
    for (let count = 0; count < 10; count++) expect(await status()).toBe("error");
    vi.setSystemTime(Date.now() + 31_000);
    expect(await status()).toBe("ok");
    vi.useRealTimers();
    other.close();
    unsubscribe("child_process", take);
  });

  test("a type over a value does not change the value", async () => {
    expect(await errorOf("const x = 5", "type x = string", "const y: x = x")).toMatchObject({
      evalue: "1:7 - TS2322: Type 'number' is not assignable to type 'string'.",
    });
  });

  test.each([
    ["let __siteframe_names = 1", "__siteframe_names", 5],
    ["const a = 1;\nfunction __siteframe_resume() {}", "__siteframe_resume", 10],
    ["const babelHelpers = {}", "babelHelpers", 7],
  ])("%s is refused, since scripts need the name", async (code, name, column) => {
    const evalue = `${code.includes("\n") ? 2 : 1}:${column} - Reserved name: ${name}. Use another name.`;
    expect(await errorOf(code)).toMatchObject({ evalue });
    expect(await resultOf(["1 + 1"])).toBe("2");
  });
});
