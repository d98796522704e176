import { mkdir, mkdtemp, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { engineNames } from "../../../src/kernel/engine/cell/engine-name.js";
import type { LanguageEngine } from "../../../src/kernel/engine/cell/language-engine.js";
import { createEngine } from "../../../src/kernel/engine/create-engine.js";
import { RecordingSink } from "./recording-sink.js";
import { errorOfCells, resultOfCells, useNodeConsole } from "./run-cells.js";

describe.each(engineNames)("by %s", (engineName) => {
  let directory: string;
  let engine: LanguageEngine;
  let sink: RecordingSink;
  let restoreConsole: () => void;

  const resultOf = (...cells: string[]) => resultOfCells(engine, sink, cells);
  const errorOf = (cell: string) => errorOfCells(engine, sink, [cell]);
  const printed = () => sink.events.filter((event) => String(event).startsWith("stdout: "));

  async function write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text);
  }

  beforeEach(async () => {
    restoreConsole = useNodeConsole();
    directory = join(await mkdtemp(join(tmpdir(), "siteframe-modules-")), "book");
    await mkdir(directory);
    engine = await createEngine({ directory, engine: engineName });
    sink = new RecordingSink();
  });
  afterEach(async () => {
    engine.close();
    restoreConsole();
    await rm(dirname(directory), { recursive: true });
  });

  describe("a TypeScript file next to the notebook", () => {
    test.each(["./helpers.ts", "./helpers.js", "./helpers"])(
      "is found as %s, statically and dynamically",
      async (name) => {
        await write(
          "helpers.ts",
          "export enum Kind { Panel = 3 }\nexport const add = (a: number, b: number): number => a + b;",
        );
        expect(await resultOf(`import { add, Kind } from "${name}";\nadd(1, Kind.Panel)`)).toBe("4");
        expect(await resultOf(`(await import("${name}")).add(2, 3)`)).toBe("5");
        expect((await errorOf(`import { add } from "${name}";\nadd("1", 2)`)).evalue).toContain("TS2345");
        expect((await errorOf(`(await import("${name}")).sub`)).evalue).toContain("Property 'sub' does not exist");
        expect((await errorOf(`import { missing } from "${name}";`)).evalue).toContain(
          "has no exported member 'missing'",
        );
        expect(
          (await engine.complete(`import * as h from "${name}"; h.`, `import * as h from "${name}"; h.`.length))
            .matches,
        ).toContain("add");
      },
    );

    test("reaches later cells with its types", async () => {
      await write(
        "helpers.ts",
        "export interface Site { name: string }\nexport const site = (): Site => ({ name: 'a' });",
      );
      await resultOf('import { site } from "./helpers.ts"; const made = site();');
      expect(await resultOf("site().name + made.name")).toBe("'aa'");
      expect((await errorOf("made.nam")).evalue).toContain("on type 'Site'");
    });

    test.each([
      ["another folder", "../shared/units.ts", "../shared/units.js"],
      ["an index", "lib/index.ts", "./lib"],
      [".mts", "units.mts", "./units.mjs"],
      [".cts", "units.cts", "./units.cts"],
    ])("can be in %s", async (_, file, specifier) => {
      await write(file, "export const metre = 'm';");
      expect(await resultOf(`import { metre } from "${specifier}";\nmetre`)).toBe("'m'");
    });

    test("can import files, packages, JSON, types and Node's modules, also dynamically", async () => {
      await write("types.ts", "export interface Row { a: number }");
      await write("data.json", '{"rows": [{ "a": 5 }]}');
      await write(
        "lib/deep.ts",
        'import { value } from "../value";\nexport * from "../value";\nexport const twice = value * 2;',
      );
      await write("value.ts", "export const value = 4;\nexport default 'fallback';");
      await write("plain.mjs", "export const plain = 'js';");
      await write(
        "helpers.ts",
        `import path, { sep } from "node:path";
import * as aq from "arquero";
import data from "./data.json";
import type { Row } from "./types.ts";
import { Row as Same } from "./types";
import fallback, { value } from "./value.js";
import { plain } from "./plain.mjs";
export { twice, value as again } from "./lib/deep.ts";
export * as deep from "./lib/deep";
const late = await import("./value");
const rows: Row[] = data.rows;
const same: Same = rows[0]!;
export default () => [path.sep === sep, aq.table({ a: rows.map(({ a }) => a) }).numRows(), same.a, fallback, value, late.value, plain].join();
export const url = import.meta.url;
export const folder = __dirname;`,
      );
      const cell = `import run, { again, deep, folder, twice, url } from "./helpers.ts";
console.log(run(), again, twice, deep.value, url.endsWith("/book/helpers.ts"), folder.endsWith("/book"));`;
      await resultOf(cell);
      expect(printed()).toEqual(["stdout: true,1,5,fallback,4,4,js 4 8 4 true true\n"]);
    });

    test("can import a file that imports it, and its variables are live", async () => {
      await write(
        "even.ts",
        'import { odd } from "./odd.ts";\nexport const even = (n: number): boolean => n === 0 || odd(n - 1);',
      );
      await write(
        "odd.ts",
        'import { even } from "./even.ts";\nexport const odd = (n: number): boolean => n !== 0 && even(n - 1);',
      );
      expect(
        await resultOf('import { even } from "./even.ts";\nimport { odd } from "./odd.ts";\n[even(4), odd(4)]'),
      ).toBe("[ true, false ]");
      await write("count.ts", "export let count = 0;\nexport function more() { count++; }");
      expect(await resultOf('import * as c from "./count.ts";\nc.more(); c.more(); c.count')).toBe("2");
    });

    test("runs once, also for two simultaneous imports", async () => {
      await write("noisy.ts", "console.log('run'); await null; export const a = {};");
      const cell = 'const [x, y] = await Promise.all([import("./noisy.ts"), import("./noisy")]); x.a === y.a';
      expect(await resultOf(cell)).toBe("true");
      expect(await resultOf('import { a } from "./noisy";\na === x.a')).toBe("true");
      expect(printed()).toEqual(["stdout: run\n"]);
    });

    test("can be imported by a file URL", async () => {
      await write("helpers.ts", "export const n: number = 1;");
      expect(
        await resultOf('const at: string = new URL("./helpers.ts", import.meta.url).href;\n(await import(at)).n'),
      ).toBe("1");
    });
  });

  describe("a file that changes", () => {
    test("is read again by the next import, with its new types", async () => {
      await write("helpers.ts", "export const size = 1;");
      const cell = 'import { size } from "./helpers.ts";\nsize';
      expect(await resultOf(cell)).toBe("1");
      await write("helpers.ts", "export const size = 'large'; export const more = 2;");
      expect(await resultOf(cell)).toBe("'large'");
      expect(await resultOf('import { size, more } from "./helpers.ts";\nsize.length + more')).toBe("7");
      expect(await resultOf("size.toUpperCase()")).toBe("'LARGE'");
    });

    test("reloads the files that import it, and no others", async () => {
      await write("base.ts", "export const base = 1;");
      await write("middle.ts", 'import { base } from "./base";\nexport const middle = base * 10;');
      await write("other.ts", "console.log('other'); export const other = { state: 0 };");
      await write("top.ts", 'export { middle } from "./middle";\nexport { other } from "./other";');
      await resultOf('import * as top from "./top.ts";\ntop.other.state = 5;');
      await write("base.ts", "export const base = 21;");
      expect(await resultOf('import { middle, other } from "./top.ts";\n[middle, other.state]')).toBe("[ 210, 5 ]");
      expect(printed()).toEqual(["stdout: other\n"]);
    });

    test("can be created and removed later", async () => {
      expect((await errorOf('await import("./later.ts")')).evalue).toContain("Cannot find module './later.ts'");
      await write("later.ts", "export const here = 1;");
      expect(await resultOf('(await import("./later.ts")).here')).toBe("1");
      await unlink(join(directory, "later.ts"));
      expect((await errorOf('(await import("./later.ts")).here')).evalue).toContain("Cannot find module");
    });

    test("can be fixed: a failed import is retried", async () => {
      await write("faulty.ts", "export const a = 1;\nthrow new RangeError('at load');");
      const error = await errorOf('\nimport { a } from "./faulty.ts";\na');
      expect(error).toMatchObject({ ename: "RangeError", evalue: "at load", line: 2 });
      expect(error.traceback.join("\n")).toMatch(/faulty\.ts:2:7\)?\n.*Cell 1:2/s);
      await write("faulty.ts", "export const a = 2;");
      expect(await resultOf('import { a } from "./faulty.ts";\na')).toBe("2");
    });

    test("can be JSON", async () => {
      await write("data.json", '{"n": 1}');
      const cell = 'import data from "./data.json";\ndata.n';
      expect(await resultOf(cell)).toBe("1");
      await write("data.json", '{"n": 22}');
      expect(await resultOf(cell)).toBe("22");
    });
  });

  describe("errors in a file", () => {
    test("of syntax contain the position", async () => {
      await write("wrong.ts", "const a = 1;\nexport const = 2;");
      const error = await errorOf("await import('./wrong.ts')");
      expect(error.ename).toBe("SyntaxError");
      expect(error.evalue).toMatch(/wrong\.ts:2:14: (Variable declaration expected|Unexpected token)/);
    });

    test("of JSON contain its name, and a byte order mark is accepted", async () => {
      await write("data.json", "{");
      const error = await errorOf('const file = await import("./data.json");');
      expect(error).toMatchObject({
        ename: "SyntaxError",
        evalue: expect.stringMatching(/data\.json is not valid JSON/),
      });
      await write("data.json", '\uFEFF{"n": 1}');
      expect(await resultOf('(await import("./data.json")).default.n')).toBe("1");
    });

    test("at run time contain its lines", async () => {
      await write(
        "lib/calc.ts",
        "interface Unused { a: 1 }\nexport async function calc(): Promise<never> {\n  await null;\n  throw new Error('no');\n}",
      );
      const error = await errorOf('import { calc } from "./lib/calc.ts";\n\nawait calc();');
      expect(error).toMatchObject({ evalue: "no", line: 3 });
      expect(error.traceback.join("\n")).toContain("lib/calc.ts:4:9");
      expect(error.traceback.join("\n")).toContain("> 4 |   throw new Error('no');");
    });
  });

  test.each([
    ["while it waits", () => AbortSignal.timeout(100)],
    ["as it begins", () => AbortSignal.abort()],
  ])("a cell that is stopped %s leaves no file half loaded", async (_, signal) => {
    await write("slow.ts", "await new Promise((done) => setTimeout(done, 300));\nexport const n = 1;");
    const cell = 'import { n } from "./slow.ts";\nn';
    expect(await engine.execute(cell, { sink, signal: signal() })).toMatchObject({ status: "error" });
    expect(await resultOf(cell)).toBe("1");
  });
});
