import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { engineNames } from "../../../src/kernel/engine/cell/engine-name.js";
import type { LanguageEngine, Outcome } from "../../../src/kernel/engine/cell/language-engine.js";
import { createEngine } from "../../../src/kernel/engine/create-engine.js";
import { CellCompiler } from "../../../src/kernel/engine/tslab/cell-compiler.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { RecordingSink } from "./recording-sink.js";
import { errorOfCells, resultOfCells, useNodeConsole } from "./run-cells.js";

describe.each(engineNames)("by %s", (engineName) => {
  /** The functions of Node, before an engine replaces them. */
  const timersOfNode = [setTimeout, setInterval, setImmediate, queueMicrotask, process.nextTick].map(
    ({ name, length }) => name + length,
  );
  const directory = temporaryFolder();
  let engine: LanguageEngine;
  let sink: RecordingSink;
  let restoreConsole: () => void;

  const resultOf = (...cells: string[]) => resultOfCells(engine, sink, cells);
  const errorOf = (...cells: string[]) => errorOfCells(engine, sink, cells);

  async function writePackage(name: string, manifest: object, files: Record<string, string>): Promise<void> {
    const folder = join(directory, "node_modules", name);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "package.json"), JSON.stringify({ name, version: "1.0.0", ...manifest }));
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  }

  beforeAll(async () => {
    restoreConsole = useNodeConsole();
    await writePackage(
      "only-exports",
      { type: "module", exports: { "./deep": { types: "./deep.d.ts", import: "./deep.js" } } },
      {
        "deep.js": "await null; export class Inner { value = 7 }; export const make = () => new Inner();",
        "deep.d.ts": 'import { Hidden } from "./hidden.js"; export declare function make(): Hidden;',
        "hidden.d.ts": "export declare class Hidden { value: number; }",
      },
    );
    await writePackage(
      "common",
      { main: "index.js", types: "index.d.ts" },
      {
        "index.js": "const list = ['later']; list.forEach((name) => { exports[name] = 5; });",
        "index.d.ts": "export declare const later: number;",
      },
    );
    await writePackage(
      "deep-library",
      { main: "index.js", types: "index.d.ts" },
      {
        "index.js": "exports.deep = (n) => { if (n === 0) throw new Error('bottom'); exports.deep(n - 1); };",
        "index.d.ts": "export declare function deep(n: number): void;",
      },
    );
    await writeFile(join(directory, "data.json"), '{"answer": 42}');
    await writeFile(join(directory, "local.mjs"), "export const here = import.meta.url;");
    engine = await createEngine({ directory, engine: engineName });
  });

  beforeEach(() => {
    engine.reset();
    sink = new RecordingSink();
  });

  afterAll(() => {
    engine.close();
    restoreConsole();
  });

  function execute(code: string): Promise<Outcome> {
    return engine.execute(code, { sink });
  }

  // `battery/` has a table of declarations, imports, loops, results and errors.
  describe("state across cells", () => {
    test("declarations of a failed cell stay", async () => {
      await execute("const kept = 3; throw new Error('later')");
      expect(await resultOf("kept")).toBe("3");
    });

    test("a cell that does not compile changes nothing", async () => {
      await execute("const kept = 3;");
      await execute("const kept: string = 4;");
      expect(await resultOf("kept")).toBe("3");
    });
  });

  describe("imports", () => {
    test.each([
      ["exports only, with top-level await", 'import { make } from "only-exports/deep";\nmake().value', "7"],
      [
        "CommonJS names that Node cannot see",
        'import { later } from "common";\nimport * as all from "common";\nlater + all.later',
        "10",
      ],
    ])("%s", async (_, code, expected) => {
      expect(await resultOf(code)).toBe(expected);
    });

    test("import.meta.resolve returns the same as Node, in cells and in local modules", async () => {
      const specifiers = [
        ...["only-exports/deep", "only-exports", "only-exports/other", "common", "deep-library/index.js", "nowhere"],
        ...["fs", "node:fs", "./data.json", "./missing.js", "../up.js", "/root.js"],
        ...["data:text/javascript,1", "https://example.com/a.js"],
      ];
      const all = `JSON.stringify(${JSON.stringify(specifiers)}.map((specifier) => {
  try { return import.meta.resolve(specifier); } catch (error) { return (error as { code: string }).code; }
}), null, 1)`;
      const script = join(directory, "resolve.mjs");
      await writeFile(script, `console.log(${all.replace(" as { code: string }", "")})`);
      await writeFile(join(directory, "resolve-local.ts"), `export const local = ${all};`);
      const node = execFileSync(process.execPath, [script], { encoding: "utf8" });
      await execute(`console.log(${all});`);
      await execute('import { local } from "./resolve-local.ts"; console.log(local);');
      expect(sink.events).toEqual([`stdout: ${node}`, `stdout: ${node}`]);
      expect(JSON.parse(node)).toContain(pathToFileURL(join(directory, "node_modules/only-exports/deep.js")).href);
    });

    test("import.meta.resolve finds packages of Siteframe, and accepts a parent", async () => {
      expect(await resultOf('import.meta.resolve("arquero").replace(/.*node_modules./, "")')).toBe(
        "'arquero/src/index.js'",
      );
      expect(await resultOf('(await import(import.meta.resolve("./data.json"))).default.answer')).toBe("42");
      expect(await resultOf('import.meta.resolve("./a.js", "file:///elsewhere/b.js")')).toBe(
        "'file:///elsewhere/a.js'",
      );
      expect(await resultOf('import.meta.resolve("./a.js", new URL("file:///elsewhere/b.js"))')).toBe(
        "'file:///elsewhere/a.js'",
      );
      expect(await errorOf('import.meta.resolve("nowhere")')).toMatchObject({
        evalue: expect.stringContaining("Cannot find package 'nowhere'"),
        line: 1,
      });
    });

    test("imported names and their types reach later cells", async () => {
      const cells = ['import { make } from "only-exports/deep"; const made = make();', "made.value.toFixed(1)"];
      expect(await resultOf(...cells)).toBe("'7.0'");
      expect((await errorOf("made.nothing")).evalue).toContain("Property 'nothing' does not exist on type 'Hidden'");
    });

    test.each([
      ["exports only", "only-exports/deep", "make()", "Hidden"],
      ["CommonJS", "common", "later", "number"],
      ["JSON", "./data.json", "answer", "number"],
      ["plain JavaScript", "./local.mjs", "here", "string"],
      ["Node", "node:path", "sep", /"/.source],
    ])("have types, static and dynamic: %s", async (_, specifier, value, type) => {
      const wrong = new RegExp(`Property 'nothing' does not exist on type '.*${type}`);
      expect((await errorOf(`import * as all from "${specifier}";\nall.${value}.nothing`)).evalue).toMatch(wrong);
      expect((await errorOf(`(await import("${specifier}")).${value}.nothing`)).evalue).toMatch(wrong);
    });

    test("local modules are relative to the notebook", async () => {
      expect(await resultOf('import { here } from "./local.mjs";\nhere')).toContain("/local.mjs");
    });

    test("types of what is awaited in parentheses reach later cells", async () => {
      const cells = [
        'import { fromRecords } from "siteframe"; const source = fromRecords({});',
        "const h = await (await source.layer({ site_id: 1 })).history();",
      ];
      expect(await resultOf(...cells, "h.length.toFixed(1)")).toBe("'0.0'");
      expect((await errorOf("h.nothing")).evalue).toContain(
        "Property 'nothing' does not exist on type 'History<ColumnTable>'",
      );
    });

    test("a type that cannot be named leaves the types of other names", async () => {
      expect(await resultOf('const fs = await import("node:fs"); const n = 1;', "n.toFixed(1)")).toBe("'1.0'");
    });

    test("a module that fails at run time is shown at its import", async () => {
      const error = await errorOf('const name: string = "no-such-package";\n\nawait import(name)');
      expect(error).toMatchObject({ ename: "Error", line: 3 });
      expect(error.evalue).toContain("no-such-package");
    });
  });

  describe("cells that declare nothing", () => {
    test.each<[cell: string, result: number, ...before: string[]]>([
      ["type Unused = string;\n(4 as number)", 4],
      ["import type { Stats } from 'node:fs';\nReflect.get({}, 'stats') as Stats ?? 5", 5],
      ["await Promise.resolve(`\nexport const x = 1;\nimport 'y';\n`.length)", 33],
      ["({ await: 7 }).await", 7],
      ["export default 8;\n8", 8],
      ["const {} = [1];\n11", 11],
      ["const [,] = [1];\n12", 12],
      ["new (class { accessor [Symbol.toStringTag] = 'k'; size = 13 })().size", 13],
      ["tsLastExpr + 1", 10, "const tsLastExpr = 9;"],
      ["tsLastExpr", 11, "const tsLastExpr = 10;\ntsLastExpr + 1;", "const tsLastExpr = 11;\ntsLastExpr;"],
    ])("%j gives %j", async (cell, result, ...before) => {
      expect(await resultOf(...before, cell)).toBe(String(result));
    });

    test("fail at a pattern without names that fails", async () => {
      expect(await errorOf("\nconst {} = JSON.parse('x');")).toMatchObject({ ename: "SyntaxError", line: 2 });
    });

    if (engineName === "tslab")
      test("skip the second pass, other cells do not", () => {
        const compiler = new CellCompiler(directory);
        const skips = (code: string) => {
          const compilation = compiler.compile(code, "Cell 1");
          return compilation.status === "ok" && compilation.cell.sourceMaps.length === 1;
        };
        expect(
          ["1 + 1", "await null", "type A = 1;\nconsole.log(2)", "const a = 1;", "export {}; 1"].map(skips),
        ).toEqual([true, true, true, false, true]);
        compiler.close();
      });

    test("have errors at their lines and columns", async () => {
      const before = "const text = 'no JSON';";
      const lines = ["type Unused = 1;", "", "[1, 2].map((n: number): unknown => {", "  return n as number, %;", "});"];
      const cell = (expression: string) => lines.join("\n").replace("%", expression);
      expect(await errorOf(before, cell("text.nothing"))).toMatchObject({
        ename: "TypeScriptError",
        line: 4,
        column: 28,
      });
      const thrown = await errorOf(before, cell("JSON.parse(text)"));
      expect(thrown).toMatchObject({ ename: "SyntaxError", line: 4, column: 28 });
      expect(thrown.traceback.join("\n")).toContain("> 4 |   return n as number, JSON.parse(text);\n");
    });
  });

  describe("type errors", () => {
    test("have line, column and source", async () => {
      const error = await errorOf("const a = 1;\nconst b: string =\n  a;");
      expect(error).toMatchObject({ ename: "TypeScriptError", line: 2, column: 7 });
      expect(error.evalue).toBe("2:7 - TS2322: Type 'number' is not assignable to type 'string'.");
      expect(error.traceback.join("\n")).toContain("> 2 | const b: string =\n    |       ^");
    });

    test("are all shown, with their details", async () => {
      const error = await errorOf(
        "const p: { a: { b: number } } = { a: { b: 'x' } };\nnope;\nconst q: { a: number } = p;",
      );
      const text = error.traceback.join("\n");
      expect(text).toContain("Cell 1:2:1 - TS2304: Cannot find name 'nope'.");
      expect(text).toMatch(/Cell 1:3:7 - TS2322: .*\n {2}Types of property 'a' are incompatible\./);
    });

    test("include the use of unchecked data from a comm", async () => {
      const error = await errorOf('comms.register("picker", (_, { data }) => data.picked);');
      expect(error).toMatchObject({ ename: "TypeScriptError", evalue: expect.stringContaining("unknown") });
    });

    test("at one position are all shown, each once", async () => {
      const { traceback } = await errorOf("let x: number = 1; y z;");
      const problems = traceback.filter((line) => /^Cell 1:/.test(line));
      expect(new Set(problems).size).toBe(problems.length);
      expect(problems[0]).toBe("Cell 1:1:20 - TS1434: Unexpected keyword or identifier.");
      // tslab also resolves the names.
      if (engineName === "tslab") expect(problems[1]).toBe("Cell 1:1:20 - TS2304: Cannot find name 'y'.");
    });

    test("name a type of this cell as such, and contain no paths of internal files", async () => {
      const error = await errorOf(
        "class Own { private x = 1 }\nconst first = new Own();",
        "class Own { private x = 1 }\nconst second: Own = first;",
      );
      expect(error.evalue).toContain('import("this cell").Own');
      expect(error.traceback.join("\n")).not.toMatch(/siteframe|__tslab__/);
    });
  });

  describe("runtime errors", () => {
    test("have name, message, the cell's own frames and the failing line", async () => {
      const error = await errorOf(
        "// adds\ninterface Unused { a: number }\nfunction fail(text: string): never {\n  throw new RangeError(text);\n}",
        "const x: number = 1;\n\nfail(\n  'bad ' + x,\n);",
      );
      expect(error).toMatchObject({ ename: "RangeError", evalue: "bad 1", line: 3, column: 1 });
      expect(error.traceback.slice(0, 3)).toEqual([
        "RangeError: bad 1",
        "    at fail (Cell 1:4:9)",
        "    at Cell 2:3:1",
      ]);
      expect(error.traceback.join("\n")).toContain("> 4 |   throw new RangeError(text);\n    |         ^");
      expect(error.traceback.join("\n")).not.toMatch(/node:|tslab-engine|run-script/);
    });

    const everywhere: readonly (readonly [string, number, number])[] = [
      ["`\r`;\nthrow new Error('x')", 3, 7],
      ["1;\nlet y = 1;\rthrow new Error('x')", 3, 7],
      ["1;\r\nthrow new Error('x')", 2, 7],
      ["`🙂`; '🙂'; throw new Error('x')", 1, 19],
    ];
    /** The compiler of tslab also ends lines at Unicode's separators: see the guide. */
    const separated: typeof everywhere = [
      ["'\u2028';\nthrow new Error('x')", 2, 7],
      ["1;\u2028throw new Error('x')", 1, 10],
      ["// \u2029\n`\u2029\u2028`;\nthrow new Error('x')", 3, 7],
    ];

    test.each([...everywhere, ...(engineName === "tslab" ? [] : separated)])(
      "have the lines and columns of the notebook, in UTF-16 units: %j",
      async (cell, line, column) => {
        const error = await errorOf(cell);
        expect([error.line, error.column]).toEqual([line, column]);
        expect(error.traceback.join("\n")).toContain(`> ${line} | `);
      },
    );

    if (engineName !== "tslab") {
      test("and Unicode's separators stay in texts", async () => {
        expect(
          await resultOf("['\u2028', `a\u2029`].map((text) => text.charCodeAt(text.length - 1).toString(16)).join()"),
        ).toBe("'2028,2029'");
      });
    }

    test("keep their line after an await and in callbacks of others", async () => {
      expect(await errorOf("await null;\n[1].map((n) => {\n  throw new Error(String(n));\n});")).toMatchObject({
        line: 3,
      });
    });

    test("show causes and the errors of an AggregateError", async () => {
      const cause = await errorOf("throw new Error('outer', { cause: new TypeError('inner') });");
      expect(cause.traceback.join("\n")).toContain("Caused by:\nTypeError: inner");
      const many = await errorOf("await Promise.any([Promise.reject(new Error('one'))]);");
      expect(many.ename).toBe("AggregateError");
      expect(many.traceback.join("\n")).toContain("One of its errors:\nError: one");
    });

    test("show the hint of errors that have one", async () => {
      const error = await errorOf("throw Object.assign(new Error('No key.'), { hint: 'Set SITEFRAME_API_KEY.' });");
      expect(error.traceback.slice(0, 2)).toEqual(["Error: No key.", "Set SITEFRAME_API_KEY."]);
    });

    test("errors of Siteframe have a hint and the cell's line, but no frames", async () => {
      const error = await errorOf(
        'const { fromRecords } = await import("siteframe");',
        "const layer = await fromRecords({}).layer({ site_id: 1 });\nconst params = { site_id: 1, nonsense: 1 };\nawait fromRecords({}).layer(params);",
      );
      expect(error).toMatchObject({ ename: "ArgumentError", line: 3 });
      const text = error.traceback.join("\n");
      expect(text).toMatch(/^ArgumentError: .*nonsense.*\nParameters: .*\n\nCell 2:\n/);
      expect(text).toContain("> 3 | await fromRecords");
      expect(text).not.toContain("    at ");
    });

    test("an error created in a callback of Node is marked at the await of the cell", async () => {
      const fail = "await (await import('node:fs/promises')).readFile('/nowhere/at/all');";
      expect((await errorOf(fail)).traceback.join("\n")).toContain("ENOENT");
      const cell = "const p = new Promise((_, no) => { const e = new Error('far'); e.stack = 'Error: far'; no(e); });";
      const error = await errorOf(`${cell}\n0;`, "p.catch(() => 0);\nawait p;");
      expect(error).toMatchObject({ evalue: "far", line: 2, column: 1 });
      expect(error.traceback.join("\n")).toContain("> 2 | await p;");
      const twice = await errorOf("await null;\nawait p;");
      expect(twice.line).toBeUndefined();
      // With tslab, names have a value from the start.
      if (engineName === "tslab") return;
      const behindNames = await errorOf("const one = await 1;\nconst two = await p;\nconst three = await 3;");
      expect(behindNames).toMatchObject({ line: 2, column: 13 });
    });

    test("frames of a recursion are cut, and the cell is found behind many frames of a library", async () => {
      const text = (await errorOf("const g = (n: number): number => g(n + 1) + 1;\ng(1);")).traceback.join("\n");
      expect(text.match(/ {4}at g/g)).toHaveLength(10);
      expect(text).toMatch(/ {4}… \d+ more/);
      const error = await errorOf("import { deep } from 'deep-library';", "0;\ndeep(40);");
      expect(error).toMatchObject({ evalue: "bottom", line: 2 });
    });

    test("circular causes, long messages and long lines are cut", async () => {
      const loop = await errorOf("const e: any = new Error('loop'); e.cause = e; throw e;");
      expect(loop.traceback.join("\n").match(/Error: loop/g)).toHaveLength(1);
      const long = await errorOf("throw new Error('x'.repeat(100000));");
      expect(long.evalue.length).toBeLessThan(5100);
      expect(long.evalue).toMatch(/… 95000 more characters not shown$/);
      const line = `/* ${"y".repeat(5000)} */ throw new Error("here"); /* ${"z".repeat(5000)} */`;
      const { traceback } = await errorOf(line);
      expect(traceback.join("\n").length).toBeLessThan(600);
      const [code = "", caret = ""] = traceback.slice(-2);
      expect(code.slice(caret.indexOf("^"))).toMatch(/^new Error/);
      const many = await errorOf(
        "throw new AggregateError(Array.from({ length: 8 }, (_, i) => new Error('e' + i)), 'all');",
      );
      expect(many.traceback.join("\n")).toContain("… and 3 more errors");
    });

    test("an error in a callback fails the cell that waits, at its line", async () => {
      const error = await errorOf(
        "await null;\nsetTimeout(() => {\n  throw new Error('cb');\n}, 5);\nawait new Promise(() => {});",
      );
      expect(error).toMatchObject({ evalue: "cb", line: 3 });
    });

    test("an error that is the value of a cell shows its cell's line, in two formats", async () => {
      await execute("const e = new RangeError('<far>', { cause: new TypeError('inner') });");
      const outcome = await execute("e");
      const bundle = outcome.status === "ok" ? outcome.result : undefined;
      expect(bundle?.["text/plain"]).toMatch(/^RangeError: <far>\n {4}at Cell 1:1:11\n\nCell 1:\n> 1 \|/);
      expect(bundle?.["text/plain"]).toContain("Caused by:\nTypeError: inner");
      expect(bundle?.["text/plain"]).not.toMatch(/run-script|cell-runner/);
      expect(bundle?.["text/html"]).toContain("RangeError: &lt;far&gt;</b>");
    });

    const traps = `const refuse = () => { throw new Error("trap"); };
const traps = Object.fromEntries(Reflect.ownKeys(Reflect).map((name) => [name, refuse]));
const proxy = () => new Proxy({ own: 1 }, traps);`;
    test.each([
      ["by a cell", "throw proxy();"],
      ["in a callback", "setTimeout(() => { throw proxy(); }, 1); await new Promise(() => {});"],
      ["in a promise", "void Promise.reject(proxy()); await new Promise(() => {});"],
      ["as a rejection", "await Promise.reject(proxy());"],
    ])("a proxy with traps that throw is reported when it is thrown %s", async (_, cell) => {
      expect(await errorOf(traps, cell)).toMatchObject({ ename: "Thrown", evalue: "{ own: 1 }" });
    });

    test("a proxy with traps that throw is shown as a result", async () => {
      expect(await resultOf(traps, "proxy()")).toContain("{ own: 1 }");
    });

    test("a frozen error of a module is reported", async () => {
      await writeFile(join(directory, "frozen.ts"), 'throw Object.freeze(new RangeError("frozen"));\nexport {};');
      expect(await errorOf('await import("./frozen.ts")')).toMatchObject({ ename: "RangeError", evalue: "frozen" });
    });

    test("an interrupted cell fails, and the next one runs", async () => {
      const controller = new AbortController();
      const running = engine.execute("const kept = 1; console.log('begun'); await new Promise(() => {});", {
        sink,
        signal: controller.signal,
      });
      await expect.poll(() => sink.events).toContain("stdout: begun\n");
      controller.abort();
      expect(await running).toMatchObject({ status: "error", error: { ename: "AbortError" } });
      expect(await resultOf("kept")).toBe("1");
    });

    test("an interrupt aborts the signal of the running cell, and of no other", async () => {
      const controller = new AbortController();
      await execute("const earlier = signal;");
      const running = engine.execute(
        `const own = signal;
         const reason = new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason)));
         signal.addEventListener("abort", () => { throw new Error("in a listener"); });
         console.log("begun");
         await new Promise(() => {});`,
        { sink, signal: controller.signal },
      );
      await expect.poll(() => sink.events).toContain("stdout: begun\n");
      controller.abort();
      expect(await running).toMatchObject({ status: "error", error: { ename: "AbortError" } });
      expect(await resultOf("String(await reason)")).toBe("'AbortError: The cell was interrupted.'");
      expect(await resultOf("[own, earlier, signal].map(({ aborted }) => aborted)")).toBe("[ true, false, false ]");
    });

    test("whos() lists variables without running their code", async () => {
      await execute(
        `const count = 7, text = "abc", list = [1, 2, 3], bytes = new Float64Array(1000);
         class Park { get name() { throw new Error("read"); } }
         const park = new Park();
         const odd = new Proxy({}, { get() { throw new Error("read"); } });
         const rows = { numRows: () => 2000, columnNames: () => ["a", "b"], getter: () => () => 1 };`,
      );
      const columns = "map(({ name, type, size, bytes }) => [name, type, size, bytes].join(' '))";
      expect(await resultOf(`whos().${columns}.join('|')`)).toBe(
        "'Park class  0|bytes Float64Array 1,000 8000|count number  0|list Array 3 24|odd Proxy  |park Park  |rows Object 2,000 × 2 32000|text string 3 characters 3'",
      );
      expect(await resultOf("whos()")).toContain("2,000 × 2");
      expect(await resultOf("const whos = 5; whos")).toBe("5");
    });

    test("a user's own signal hides that of the cell", async () => {
      expect(await resultOf("const signal = 5; signal", "signal + 1")).toBe("6");
      engine.reset();
      expect(await resultOf("signal instanceof AbortSignal")).toBe("true");
      expect(await resultOf("Object.assign(globalThis, { signal: 7 }).signal")).toBe("7");
      await execute("Reflect.deleteProperty(globalThis, 'signal')");
    });

    test("a cell that is interrupted before it has run declares nothing", async () => {
      const controller = new AbortController();
      const running = engine.execute("const never = 1; let never2: string;", { sink, signal: controller.signal });
      controller.abort();
      expect(await running).toMatchObject({ status: "error", error: { ename: "AbortError" } });
      const none = await engine.execute("never", { sink, signal: AbortSignal.abort() });
      expect(none).toMatchObject({ status: "error", error: { ename: "AbortError" } });
      expect(await engine.execute("never", { sink })).toMatchObject({ error: { ename: "TypeScriptError" } });
      expect(await resultOf("const never = 'again'; never")).toBe("'again'");
    });
  });

  describe("output", () => {
    test("streams arrive in order", async () => {
      await execute('console.log("a", 1); console.error("b"); process.stdout.write("c"); console.table([{ x: 1 }]);');
      expect(sink.events.slice(0, 3)).toEqual(["stdout: a 1\n", "stderr: b\n", "stdout: c"]);
      expect(sink.events[3]).toContain("│ x │");
    });

    test("bytes of one character can come in several writes", async () => {
      const halves = 'const [a, b] = [Buffer.from("€").subarray(0, 1), Buffer.from("€").subarray(1)];';
      await execute(`${halves} process.stdout.write(a); process.stderr.write("x"); process.stdout.write(b);`);
      expect(sink.events).toEqual(["stderr: x", "stdout: €"]);
    });

    test("invalid bytes and other encodings are decoded as by Node", async () => {
      await execute(
        'process.stdout.write("6869", "hex"); process.stdout.write("68e9", "hex"); process.stdout.write("i");',
      );
      await execute("process.stdout.write(new Uint8Array([0xe2, 0x82]));");
      await execute('console.log("new")');
      expect(sink.events.join("")).toBe("stdout: histdout: hstdout: \ufffdistdout: \ufffdstdout: new\n");
    });

    test("console.trace shows only frames of cells", async () => {
      await execute('function outer() {\n  console.trace("at %s", "x", { a: 1 });\n}');
      sink.events.length = 0;
      await execute("outer();\nconsole.trace()");
      expect(sink.events).toEqual([
        "stderr: Trace: at x { a: 1 }\n    at outer (Cell 1:2:11)\n    at Cell 2:1:1\n",
        "stderr: Trace\n    at Cell 2:2:9\n",
      ]);
    });

    test("timers keep the names and lengths of Node's functions", async () => {
      const timers = "[setTimeout, setInterval, setImmediate, queueMicrotask, process.nextTick]";
      expect(await resultOf(`${timers}.map(({ name, length }) => name + length).join()`)).toBe(
        `'${timersOfNode.join()}'`,
      );
    });

    test("late output goes to the cell that caused it", async () => {
      await execute('setTimeout(() => console.log("late"), 20); 0');
      const second = new RecordingSink();
      await engine.execute("await new Promise((done) => setTimeout(done, 60)); console.log('own')", { sink: second });
      expect(sink.events).toEqual(["stdout: late\n"]);
      expect(second.events).toEqual(["stdout: own\n"]);
    });

    test("an error in a callback outside any cell belongs to the cell with its code", async () => {
      await execute(`
      import { MessageChannel } from "node:worker_threads";
      const { port1, port2 } = new MessageChannel();
      port1.on("message", () => { port1.close(); throw new Error("of the first"); });`);
      const second = new RecordingSink();
      const post = "port2.postMessage(1); await new Promise((done) => setTimeout(done, 100)); 5";
      expect(await engine.execute(post, { sink: second })).toMatchObject({ status: "ok" });
      expect(sink.events).toEqual([
        expect.stringMatching(/^stderr: Error: of the first\n {4}at MessagePort\.<anonymous> \(Cell 1:4:/),
      ]);
      expect(second.events).toEqual([]);
    });

    test("display publishes in order, with id and update", async () => {
      await execute(`
      const slow = { [Symbol.for("Jupyter.display")]: async () => ({ "text/html": "<b>slow</b>" }) };
      display(1); display(slow); console.log("after"); display(2, { id: "p" }); display(3, { id: "p", update: true });`);
      const text = (value: string) => expect.objectContaining({ "text/plain": value });
      expect(sink.events).toEqual([
        { bundle: text("1"), target: undefined },
        { bundle: expect.objectContaining({ "text/html": "<b>slow</b>" }), target: undefined },
        "stdout: after\n",
        { bundle: text("2"), target: { id: "p", update: false } },
        { bundle: text("3"), target: { id: "p", update: true } },
      ]);
    });

    test("display can be shadowed and is checked", async () => {
      expect((await errorOf("display()")).evalue).toContain("Expected 1-2 arguments");
      expect(await resultOf("const display = 4;", "display")).toBe("4");
    });
  });

  describe("requests", () => {
    test("completion finds names and members of earlier cells", async () => {
      await execute("const pressure = { high: 1, low: 2 };");
      const kinds = engineName === "tslab" ? undefined : ["property", "property"];
      expect(await engine.complete("pressure.", 9)).toEqual({ matches: ["high", "low"], kinds, start: 9, end: 9 });
      expect((await engine.complete("press + 1", 5)).matches).toContain("pressure");
    });

    test("inspection returns the documentation of Siteframe, the language and Node", async () => {
      expect((await engine.inspect("display(1)", 3))?.documentation).toContain("Shows a value below the cell");
      expect((await engine.inspect("[1].map", 6))?.documentation).toContain("Calls a defined callback function");
      const code = 'import { existsSync } from "node:fs"; existsSync';
      expect((await engine.inspect(code, code.length - 2))?.documentation).toContain("if the path exists");
      expect(await resultOf("[1].map((n) => n + 1)")).toBe("[ 2 ]");
    });
  });
});
