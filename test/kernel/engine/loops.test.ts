import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { LanguageEngine } from "../../../src/kernel/engine/cell/language-engine.js";
import { createEngine } from "../../../src/kernel/engine/create-engine.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { RecordingSink } from "./recording-sink.js";
import { errorOfCells, resultOfCells, useNodeConsole } from "./run-cells.js";

const directory = temporaryFolder();
let engine: LanguageEngine;
let restoreConsole: () => void;

const resultOf = (...cells: string[]) => resultOfCells(engine, new RecordingSink(), cells);
const errorOf = (...cells: string[]) => errorOfCells(engine, new RecordingSink(), cells);

beforeAll(async () => {
  restoreConsole = useNodeConsole();
  engine = await createEngine({ directory, engine: "typescript" });
});
beforeEach(() => engine.reset());
afterAll(() => {
  engine.close();
  restoreConsole();
});

const count = "for (const one of [1, 1, 1]) n += one;";

test("eval() in a cell sees variables that loops change", async () => {
  expect(await resultOf(`let n = 0; const peek = () => eval("n"); ${count} peek()`)).toBe("3");
  expect(await resultOf('let n = 0; const peek = () => eval("n");', `${count} peek()`, "n")).toBe("3");
  expect(await resultOf('let n = 0; eval("n = 5");', `${count} n`)).toBe("8");
});

test("a variable can be used before and next to its declaration", async () => {
  expect(await resultOf(`n = 3; var n: number; ${count} n`)).toBe("6");
  expect(await resultOf(`var n = 1; ${count} var n = n + 10; ${count} n`, "n")).toBe("17");
  expect(await resultOf("for (var i = 0, s = 0; i < 4; i++) s += i; [i, s]", "for (; i < 6; i++) s += i; [i, s]")).toBe(
    "[ 6, 15 ]",
  );
  expect(await resultOf(`let n = 0; n = 5; ${count} n = n * 2; ${count} n`)).toBe("19");
});

test("functions and classes take their names from variables", async () => {
  expect(await resultOf("let f = () => 0; for (let i = 0; i < 1; i++) f = () => 1; f.name + f()")).toBe("'f1'");
  const pattern = "let f: unknown; for (let i = 0; i < 1; i++) [f = class {}] = []; (f as { name: string }).name";
  expect(await resultOf(pattern)).toBe("'f'");
  const object =
    "let g: unknown; for (let i = 0; i < 1; i++) ({ g = (function () {}) } = {}); (g as { name: string }).name";
  expect(await resultOf(object)).toBe("'g'");
});

test("names of object members are ordinary names", async () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  const cell = names.map((name) => `let ${name} = 1; for (const one of [1, 1]) ${name} += one;`).join("\n");
  expect(await resultOf(cell, `[${names.join(", ")}]`)).toBe("[ 3, 3, 3, 3 ]");
  expect(
    await resultOf(`for (const one of [1, 1]) { ${names.map((name) => `${name} += one;`).join(" ")} }`),
  ).toBeUndefined();
  expect(await resultOf(`[${names.join(", ")}]`)).toBe("[ 5, 5, 5, 5 ]");
});

test("a name that a failed cell did not set can be written, also in later cells", async () => {
  const failed = "if (Date.now() > 0) throw new Error('early'); let n = 1;";
  const error = await errorOf(failed);
  expect(error.traceback.join("\n")).toContain("`n` is undefined");
  expect(await resultOf("n = 4;", "n")).toBe("4");
  expect(await resultOf(count, "n")).toBe("7");
});

test("properties that users define by themselves stay", async () => {
  const own = "Object.defineProperty(exports, 'n', { get: () => 40, set: () => {}, configurable: true });";
  expect(await resultOf("let n = 0;", own, `${count} n`)).toBe("40");
  expect(
    await resultOf("let m = 0; for (const i of [1]) m += i;", "exports.m = 9;", "for (const i of [1]) m += i; m"),
  ).toBe("10");
  expect(await resultOf("delete exports.m;", "String(m)")).toBe("'undefined'");
});

test("errors contain the names of the cell", async () => {
  const declared = "let f: unknown = 5; const xs: unknown = 7;";
  const call = "for (let i = 0; i < 1; i++) (f as () => void)();";
  expect(await errorOf(declared, call)).toMatchObject({ evalue: "f is not a function", line: 1 });
  const through = "for (const x of xs as number[]) void x;";
  expect(await errorOf(declared, through)).toMatchObject({ evalue: "xs is not iterable", line: 1, column: 17 });
  const member = "let o: { a: number } | undefined;\nfor (const i of [1, 2])\n  o!.a += i;";
  expect(await errorOf(member)).toMatchObject({ line: 3, evalue: expect.stringContaining("(reading 'a')") });
  expect((await errorOf(declared, "\n(f as () => void)()")).traceback.join("\n")).not.toContain("__siteframe");
});

test("a value that a loop has replaced can be collected", async () => {
  const first = "let held: object = { big: 1 }; const seen = new WeakRef(held);";
  const loop = "for (const i of [1, 2]) held = { i };";
  const wait = "await new Promise((go) => setTimeout(go, 5));";
  const collect = "require('node:v8').setFlagsFromString('--expose-gc'); require('node:vm').runInNewContext('gc')();";
  expect(await resultOf(first, loop, `${wait} ${collect} String(seen.deref())`)).toBe("'undefined'");
});
