import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { LanguageServer } from "../../../../src/kernel/engine/typescript/check/language-server.js";
import { folderPrefix, removeStaleFolders } from "../../../../src/kernel/engine/typescript/check/stale-folders.js";
import { TypeScriptLanguage } from "../../../../src/kernel/engine/typescript/typescript-language.js";
import { temporaryFolder } from "../../../snapshot/temporary-folder.js";

const directory = temporaryFolder();
let language: TypeScriptLanguage;

beforeAll(async () => {
  await writeFile(join(directory, "data.json"), '{"answer": 42}');
  await writeFile(join(directory, "helpers.ts"), "export const help = 1;");
  language = new TypeScriptLanguage(directory);
});
beforeEach(() => language.reset());
afterAll(() => {
  language.close();
});

async function errorOf(code: string): Promise<string | undefined> {
  const compilation = await language.compile(code, "Cell 1");
  return compilation.status === "error" ? compilation.error.evalue : undefined;
}

/** Asks at the bar in a cell. */
function at<Value>(cell: string, ask: (code: string, offset: number) => Promise<Value>): Promise<Value> {
  return ask(cell.replace("|", ""), cell.indexOf("|"));
}

const complete = (cell: string) => at(cell, (code, offset) => language.complete(code, offset));
const inspect = (cell: string) => at(cell, (code, offset) => language.inspect(code, offset));

test.each([
  ["let a;", "1:5 - TS2451"],
  ["const a;", "1:7 - TS1155"],
])("a line with 20,000 errors is refused with the first: %s", async (statement, error) => {
  expect(await errorOf(statement.repeat(20_000))).toContain(error);
});

describe("a cell with decorators", () => {
  const decorated = "const mark = (value: unknown) => undefined; export class D { @mark m() { return 1; } }";
  const { arch } = process;
  afterEach(async () => {
    Object.defineProperty(process, "arch", { value: arch });
    await rm(join(directory, "decorated.ts"), { force: true });
  });

  test("is compiled, and leaves no files", async () => {
    const folders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith(basename(folderPrefix())));
    const before = await folders();
    expect((await language.compile(decorated, "Cell 1")).status).toBe("ok");
    expect(await folders()).toEqual(before);
  });

  test("has an error with the command to install a missing compiler", async () => {
    await writeFile(join(directory, "decorated.ts"), decorated);
    expect(await errorOf("1")).toBeUndefined();
    Object.defineProperty(process, "arch", { value: "none" });
    expect(await language.compile(decorated, "Cell 1")).toMatchObject({
      status: "error",
      error: { ename: "NoCompilerError", hint: expect.stringContaining("npm install --include=optional siteframe") },
    });
    expect(await language.compileModule(join(directory, "decorated.ts"))).toEqual({
      status: "error",
      message: expect.stringMatching(
        /decorated\.ts: The TypeScript compiler for .* is not installed\. Run `npm install/,
      ),
    });
    expect(await errorOf("mark")).toContain("TS2304");
    expect(await errorOf("2")).toBeUndefined();
  });
});

describe("names that cells have without importing them", () => {
  test.each([
    ["aq.fromCSVStream(3)", "TS2345"],
    ["const own = aq; own.loadCSV('a.csv', { fetch: 3 })", "TS2559"],
    ["Plot.plot({ widht: 3 })", "TS2561"],
    ["const chart: number = Plot.plot()", "TS2322"],
    ["connect(3)", "TS2559"],
  ])("have their types in the first cell of a compiler: %s", async (cell, error) => {
    const fresh = new TypeScriptLanguage(directory);
    try {
      const compilation = await fresh.compile(cell, "Cell 1");
      expect(compilation.status === "error" && compilation.error.evalue).toContain(error);
    } finally {
      fresh.close();
    }
  });

  test("have their types in later cells", async () => {
    expect(await errorOf("aq.table({ a: [1] }).numRows()")).toBeUndefined();
    expect(await errorOf("Plot.plot().outerHTML + process.pid")).toBeUndefined();
    expect(await errorOf("const rows: string = aq.table({ a: [1] }).numRows()")).toContain("TS2322");
  });
});

describe("completion", () => {
  test("offers names of earlier cells, members and keywords, but no internal names", async () => {
    await language.compile("const pressure = { high: 1, low: 2 }; let predicted = 3;", "Cell 1");
    expect((await complete("press| + 1")).matches).toEqual(["pressure"]);
    const kinds = ["instance", "instance"];
    expect(await complete("pre|dicted")).toEqual({ matches: ["predicted", "pressure"], kinds, start: 0, end: 9 });
    expect((await complete("pressure.|")).matches).toEqual(["high", "low"]);
    expect((await complete("const f = () => { retu|")).matches).toContain("return");
    expect((await complete("process.vers|")).matches).toEqual(["version", "versions"]);
    expect((await complete("__site|")).matches).toEqual([]);
  });

  test("offers files next to the notebook", async () => {
    expect(await complete("import x from './|'")).toMatchObject({
      matches: ["data.json", "helpers"],
      kinds: ["path", "path"],
    });
    expect((await complete("import x from './d|'")).matches).toEqual(["data.json"]);
  });

  test.each([
    ["import fs from 'node:f|'", ["fs", "fs/promises"]],
    ["import fs from 'node:|'", ["assert", "assert/strict"]],
    ["require('node:f|')", ["fs", "fs/promises"]],
    ['await import("node:f|")', ["fs", "fs/promises"]],
    ["import { readFile } from 'node:fs/p|'", ["promises"]],
  ])("offers the modules of Node in module names: %s", async (cell, modules) => {
    const { matches, start, end } = await complete(cell);
    expect(matches.slice(0, 2)).toEqual(modules);
    expect([start, end]).toEqual([cell.search(/[^:/]*\|/), cell.indexOf("|")]);
  });

  test("works in a cell that redeclares a name of an earlier cell", async () => {
    await language.compile("const site = 1;", "Cell 1");
    expect((await complete("const site = { name: 'a' };\nsite.|")).matches).toEqual(["name"]);
  });
});

describe("inspection", () => {
  test("explains the name before or around the cursor, and the call around an argument", async () => {
    await language.compile(
      "/** Adds. */\nfunction add(a: number, b: number) { return a + b; }\nlet sum = add(1, 2);",
      "Cell 1",
    );
    const signature = "function add(a: number, b: number): number";
    expect(await inspect("ad|d(1, 2)")).toEqual({ signature, documentation: "Adds." });
    expect(await inspect("add|(1, 2)")).toEqual({ signature, documentation: "Adds." });
    expect(await inspect("add(1, |2)")).toEqual({
      signature: "add(a: number, b: number): number",
      documentation: "Adds.",
    });
    expect(await inspect("su|m")).toEqual({ signature: "let sum: number", documentation: "" });
    expect(await inspect(" | ")).toBeUndefined();
  });

  test("writes the tags of documentation as sentences and lists", async () => {
    const tags = [
      "Adds.",
      "",
      "@param a the first number, in meters",
      "@param b - the second",
      "@returns the sum",
      "@throws RangeError if it is large",
      "@example",
      "plus(1, 2)",
    ];
    await language.compile(
      `/**\n${tags.map((line) => ` * ${line}`).join("\n")}\n */\nfunction plus(a: number, b: number) { return a + b; }`,
      "Cell 1",
    );
    const documentation =
      "Adds.\n\n- `a`: the first number, in meters\n\n- `b`: the second\n\n**Returns** the sum\n\n" +
      "**Throws** RangeError if it is large\n\n**Example**\n```tsx\nplus(1, 2)\n```";
    expect((await inspect("pl|us(1, 2)"))?.documentation).toBe(documentation);
  });

  test("finds the method if the cursor is at its first argument", async () => {
    await language.compile("const fo = { bar(x: number, y: string) { return x + y; } };", "Cell 1");
    for (const cell of ["fo.bar(|1, 'a')", "fo.bar(1, |)", "fo.bar(|"]) {
      expect((await inspect(cell))?.signature, cell).toContain("bar(x: number, y: string): string");
    }
  });
});

describe("completeness", () => {
  test.each([
    ["1 + 1", "complete"],
    ["", "complete"],
    ["// a", "complete"],
    ["if (a) {\n}\n", "complete"],
    ["for (const a of b) {", "incomplete"],
    ["foo(", "incomplete"],
    ["let a = 1,", "incomplete"],
    ["1 +", "incomplete"],
    ["foo.", "incomplete"],
    ["`abc", "incomplete"],
    ["/* abc", "incomplete"],
    ["class A {\n  m() {", "incomplete"],
    ["x?.", "incomplete"],
    ["f(x?.\n\n  // not yet", "incomplete"],
    ["x?.\n  y", "complete"],
    ["x?.;", "invalid"],
    ["'a\\", "incomplete"],
    ["'a\\\n", "incomplete"],
    ["'a\\\n\n", "invalid"],
    ["'a\\\nb", "invalid"],
    ["'a\\\nb'", "complete"],
    ["'a\\\\", "invalid"],
    ["'abc", "invalid"],
    ["return 1", "invalid"],
    ["const = 1", "invalid"],
    [")", "invalid"],
    ["a b c\nfoo(", "invalid"],
  ])("%j is %s", async (code, status) => {
    expect((await language.isComplete(code)).status).toBe(status);
  });

  test("includes the indentation of the next line", async () => {
    expect(await language.isComplete("if (a) {")).toEqual({ status: "incomplete", indent: "  " });
    expect(await language.isComplete("if (a) {\n  f(")).toEqual({ status: "incomplete", indent: "    " });
    expect(await language.isComplete("  a +")).toEqual({ status: "incomplete", indent: "  " });
  });
});

describe("checks", () => {
  test("report missing code at the end of a cell", async () => {
    expect(await errorOf("const a = 1;\nfoo(")).toMatch(/^2:5 - TS1005/);
    expect(await errorOf("const a = {\n")).toMatch(/^2:1 - TS1005/);
  });

  test("show the name of the cell that declares a type", async () => {
    await language.compile("export class Own { private x = 1 }", "Cell 7");
    await language.compile("const first = new Own();", "Cell 8");
    expect(await errorOf("class Own { private x = 1 }\nconst second: Own = first;")).toContain('import("Cell 7").Own');
  });

  test("do not find declarations that are not kept", async () => {
    await language.compile("const probe = 1;", "Expression", { keep: false });
    expect(await errorOf("probe")).toContain("Cannot find name 'probe'");
  });

  test("continue after the end of the compiler's process", async () => {
    const notify = vi.spyOn(LanguageServer.prototype, "notify");
    await language.compile("const kept: number = 4;", "Cell 1");
    const server = notify.mock.contexts[0] as LanguageServer;
    server.close();
    expect(await errorOf("kept.toFixd()")).toContain("Property 'toFixd' does not exist on type 'number'");
    expect(await errorOf("kept.toFixed()")).toBeUndefined();
    notify.mockRestore();
  });
});

test("an idle compiler frees its memory, and later has the same declarations", async () => {
  const close = vi.spyOn(LanguageServer.prototype, "close");
  const notify = vi.spyOn(LanguageServer.prototype, "notify");
  const resting = new TypeScriptLanguage(directory, { restAfterMs: 50 });
  try {
    await expect.poll(() => close.mock.calls.length).toBe(1);
    await resting.compile('import { help } from "./helpers.ts";\nconst kept: number = help;', "Cell 1");
    await expect.poll(() => close.mock.calls.length).toBe(2);
    await writeFile(join(directory, "helpers.ts"), 'export const help = "text";');
    const { status } = await resting.compile("kept.toFixed()", "Cell 2");
    expect(status).toBe("ok");
    expect(await resting.compile('import { help } from "./helpers.ts";\nhelp.toFixed()', "Cell 3")).toMatchObject({
      error: { evalue: expect.stringContaining("Property 'toFixed' does not exist on type") },
    });
    const servers = new Set(notify.mock.contexts);
    expect(servers.size).toBeGreaterThanOrEqual(3);
    for (const server of close.mock.contexts) expect((server as LanguageServer).isAlive).toBe(false);
  } finally {
    resting.close();
    close.mockRestore();
    notify.mockRestore();
    await writeFile(join(directory, "helpers.ts"), "export const help = 1;");
  }
});

describe("what a cell costs", () => {
  /** Messages to the compiler for a cell. */
  async function costOf(code: string): Promise<{ readonly characters: number; readonly messages: number }> {
    const spies = [vi.spyOn(LanguageServer.prototype, "notify"), vi.spyOn(LanguageServer.prototype, "ask")];
    try {
      expect(await errorOf(code)).toBeUndefined();
      const calls = spies.flatMap(({ mock }) => mock.calls);
      return { characters: JSON.stringify(calls).length, messages: calls.length };
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  }

  test("does not grow with the number or the length of earlier cells", async () => {
    const cells = (n: number) => [
      `const v${n} = { n: ${n} }; function f${n}(x: number) { return x + v${n}.n; }`,
      "1 + 1",
    ];
    const costs = [];
    for (let n = 100; n < 160; n++) {
      const [declaring = "", plain = ""] = cells(n);
      costs.push([await costOf(declaring), await costOf(plain)]);
    }
    const [first, last] = [costs[1], costs.at(-1)];
    expect(last?.map(({ messages }) => messages)).toEqual(first?.map(({ messages }) => messages));
    // Versions and cell numbers have more digits.
    for (const [index, { characters }] of (last ?? []).entries()) {
      expect(characters).toBeLessThan((first?.[index]?.characters ?? 0) + 50);
    }
    expect(
      await errorOf(Array.from({ length: 10_000 }, (_, n) => `const line${n} = ${n};`).join("\n")),
    ).toBeUndefined();
    await costOf("2 + 2");
    expect((await costOf("1 + 1")).characters).toBeLessThan((first?.[1]?.characters ?? 0) + 50);
  });
});

describe("unusual characters", () => {
  test("half of a surrogate pair is U+FFFD, and code behind it is checked", async () => {
    expect(await errorOf("const t: number = 'x';")).toMatch(/^1:7 - TS2322/);
    expect(await errorOf("const s = '\ud800'; s")).toBeUndefined();
    expect(await errorOf("'\ud800🙂'; const n: string = 1")).toMatch(/^1:14 - TS2322/);
    expect((await complete("'\ud83d🙂'.toUp|")).matches).toEqual(["toUpperCase"]);
    expect((await inspect("'\ud800'.toUpper|Case()"))?.signature).toContain("toUpperCase(): string");
  });

  test.each([
    ["1\rconst a: string = 1", "2:7 - TS2322"],
    ["1;\r1 +* 2", "2:4 - TS1109"],
    ["1\r\nconst a: string = 1", "2:7 - TS2322"],
    ["'\u2028\u2029';\nconst a: string = 1", "2:7 - TS2322"],
    ["1\n2\u2028const a: string = 1", "2:9 - TS2322"],
  ])("lines end as in editors: %j", async (code, problem) => {
    expect(await errorOf(code)).toMatch(new RegExp(`^${problem}`));
  });
});

describe("the folder of the types", () => {
  const ofThisProcess = async () => {
    const prefix = folderPrefix();
    return (await readdir(dirname(prefix))).filter((name) => name.startsWith(basename(prefix)));
  };

  test("is private to its owner, and removed with its engine", async () => {
    const before = await ofThisProcess();
    const own = new TypeScriptLanguage(directory);
    const [made = ""] = (await ofThisProcess()).filter((name) => !before.includes(name));
    expect((await stat(join(dirname(folderPrefix()), made))).mode & 0o777).toBe(0o700);
    own.close();
    expect(await ofThisProcess()).toEqual(before);
  });

  test("of a killed process is removed by the next process", async () => {
    const stale = folderPrefix().replace(/\d+-$/, "999999999-left");
    await mkdir(stale);
    removeStaleFolders();
    await expect(stat(stale)).rejects.toThrow("ENOENT");
  });
});

describe("a cell that is taken back", () => {
  async function errorIn(code: string, name: string): Promise<string | undefined> {
    const compilation = await language.compile(code, name);
    return compilation.status === "error" ? compilation.error.evalue : undefined;
  }

  test("restores the earlier meaning of its names, unless a later cell redeclared them", async () => {
    expect(await errorIn("const a = 1; type T = number; let both = 1;", "Cell 1")).toBeUndefined();
    expect(await errorIn("const a = 'x', b = 2; type T = string; let both = 'x';", "Cell 2")).toBeUndefined();
    expect(await errorIn("let both = true;", "Cell 3")).toBeUndefined();
    language.retract("Cell 2");
    expect(await errorIn("const n: number = a; const t: T = 1; const is: boolean = both;", "Cell 4")).toBeUndefined();
    expect(await errorIn("b", "Cell 5")).toContain("Cannot find name 'b'");
    language.retract("Cell 1");
    expect(await errorIn("a", "Cell 6")).toContain("Cannot find name 'a'");
    expect(await errorIn("const is2: boolean = both", "Cell 7")).toBeUndefined();
  });

  test("removes its declarations of modules and globals", async () => {
    const code = 'declare module "made-up" { export const up: 1 }\ndeclare global { interface Array<T> { made(): T } }';
    expect(await errorIn(code, "Cell 1")).toBeUndefined();
    expect(await errorIn('import { up } from "made-up"; [1].made()', "Cell 2")).toBeUndefined();
    language.retract("Cell 2");
    language.retract("Cell 1");
    expect(await errorIn('import { up } from "made-up"', "Cell 3")).toBeDefined();
    expect(await errorIn("[1].made()", "Cell 4")).toContain("made");
  });

  test("is removed from cells that were compiled ahead", async () => {
    const cells = ["const a = 1;", "const b = a + 1;", "const c = b + 1;"].map((code, at) => ({
      code,
      name: `Cell ${at}`,
    }));
    await language.prepare(cells);
    expect(await errorIn("const a = 1;", "Cell 0")).toBeUndefined();
    language.retract("Cell 0");
    expect(await errorIn("const b = a + 1;", "Cell 1")).toContain("Cannot find name 'a'");
  });
});

test("an interrupt rejects all requests, and the compiler continues", async () => {
  expect(await errorOf("const kept = 1;")).toBeUndefined();
  const requests = [language.compile("const lost = kept;", "Cell 2"), complete("kept.to|"), inspect("ke|pt")];
  language.interrupt();
  for (const each of await Promise.allSettled(requests)) {
    expect(each).toMatchObject({ status: "rejected", reason: { name: "AbortError" } });
  }
  expect(await errorOf("const wrong: string = kept;")).toContain("TS2322");
  expect(await errorOf("lost")).toContain("Cannot find name 'lost'");
  language.interrupt();
  expect((await complete("kept.toF|")).matches).toEqual(["toFixed"]);
});
