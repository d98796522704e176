import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Notebook, Output } from "../../../src/notebook/file/notebook.js";
import { writeNotebook } from "../../../src/notebook/file/notebook-file.js";
import { OutputCollector, type RunNotebookOptions } from "../../../src/notebook/run/run-notebook.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { testedEngine } from "../../support/tested-engine.js";
import { code, markdown, notebookOf, printed } from "../cells.js";
import { failureOf as failure, outputsOf, repository, runNotebook, temporaryProject } from "./run-cells.js";

const project = temporaryProject();
/** A project with another package. */
const installed = temporaryFolder();

const failureOf = (notebook: Notebook, options: RunNotebookOptions = {}) =>
  failure(notebook, { cwd: project, ...options });

describe("runNotebook", () => {
  test("runs notebooks of an installed package, with other installed packages", async () => {
    const modules = join(installed, "node_modules");
    for (const folder of ["reports/notebooks", "beside"]) await mkdir(join(modules, folder), { recursive: true });
    await symlink(repository, join(modules, "siteframe"));
    await writeFile(
      join(modules, "beside", "package.json"),
      '{ "name": "beside", "version": "1.0.0", "main": "index.js" }',
    );
    await writeFile(join(modules, "beside", "index.js"), "exports.seven = 7;");
    await writeFile(join(modules, "beside", "index.d.ts"), "export declare const seven: 7;");
    const path = join(modules, "reports", "notebooks", "list.ipynb");
    const imports = 'import { seven } from "beside";\nimport { calendar } from "siteframe";';
    await writeNotebook(
      notebookOf(
        code(
          `${imports}\nconst both: [7, boolean] = [seven, calendar({ timeZone: "UTC" }).isWorking("2024-03-05T12:00Z")]; both`,
        ),
      ),
      path,
    );
    expect(JSON.stringify(outputsOf(await runNotebook(path, {})))).toContain("[ 7, true ]");
  });

  test("late output and late errors stay with the cell that caused them", async () => {
    const files = 'process.getBuiltinModule("node:fs")';
    const does = 'clearInterval(waits); console.log("late"); display(7); throw new Error("stray");';
    const late = `const waits = setInterval(() => { if (${files}.existsSync("second began")) { ${does} } }, 5); 0;`;
    const wait = `${files}.writeFileSync("second began", ""); await new Promise((done) => setTimeout(done, 400)); console.log('own');`;
    const [first, second] = outputsOf(await runNotebook(notebookOf(code(late), code(wait)), { cwd: project }));
    const types = ["execute_result", "stream", "display_data", "stream"];
    expect(first?.map(({ output_type }) => output_type)).toEqual(types);
    expect(JSON.stringify(first)).toContain("Error: stray\\n    at Cell 1:1:");
    expect(second).toEqual([printed("own\n")]);
  });

  test("returns outputs of nbformat, and does not change its input", async () => {
    const notebook = notebookOf(
      markdown("# T"),
      code("let n = 1;", "parameters"),
      code('console.log("a"); console.log("b"); console.error("c");\ndisplay(1, { id: "p" }); n'),
      code(""),
      code('display("new", { id: "p", update: true });'),
      code("process.env.FROM_TEST + process.cwd()"),
    );
    const progress: unknown[] = [];
    const executed = await runNotebook(notebook, {
      cwd: project,
      parameters: { n: 5 },
      env: { FROM_TEST: "env:" },
      onProgress: (step) => progress.push(step),
    });
    expect(outputsOf(executed)).toEqual([
      [],
      [],
      [
        printed("a\nb\n"),
        { output_type: "stream", name: "stderr", text: "c\n" },
        { output_type: "display_data", data: { "text/plain": "'new'" }, metadata: {} },
        { output_type: "execute_result", data: { "text/plain": "5" }, metadata: {}, execution_count: 3 },
      ],
      [],
      [],
      [expect.objectContaining({ data: { "text/plain": `'env:${project}'` } })],
    ]);
    const counts = executed.cells.map((cell) => ("execution_count" in cell ? cell.execution_count : "-"));
    expect(counts.join()).toBe("-,1,2,3,,4,5");
    expect(executed.metadata).toMatchObject({ language_info: { name: "typescript" } });
    expect(progress.at(-1)).toEqual({ done: 5, total: 5 });
    expect(outputsOf(notebook).flat()).toEqual([]);
  });

  test("outputs are well-formed text", async () => {
    const shown = String.raw`console.log("\ud800"); display({ [Symbol.for("Jupyter.display")]: () => ({ "text/html": "\udc00", "application/json": { "\ud800": 1 } }) });`;
    const failing = String.raw`throw new Error("\ud800")`;
    const { notebook } = await failureOf(notebookOf(code(shown), code(failing)));
    const [[stream, display] = [], [error] = []] = outputsOf(notebook);
    expect(stream).toMatchObject({ text: "\ufffd\n" });
    expect(display).toMatchObject({ data: { "text/html": "\ufffd", "application/json": { "\ufffd": 1 } } });
    expect(error).toMatchObject({
      evalue: "\ufffd",
      traceback: expect.arrayContaining(["\u001b[31mError\u001b[0m: \ufffd"]),
    });
  });

  test("a BigInt in a JSON format is a string, and the cell ends", async () => {
    const cell = '({ [Symbol.for("Jupyter.display")]: () => ({ "text/plain": "n", "application/json": { n: 1n } }) })';
    const [[shown] = []] = outputsOf(await runNotebook(notebookOf(code(cell)), { cwd: project }));
    expect(shown).toMatchObject({ data: { "application/json": { n: "1" } } });
  });

  test.each(["1", "slow"])("a cell fails if its output cannot be sent: %s", async (value) => {
    const slow = 'const slow = { [Symbol.for("Jupyter.display")]: async () => ({ "text/plain": "slow" }) };';
    const error = await failureOf(notebookOf(code(`${slow}\ndisplay(${value}, { id: 1n as never }); 5`)));
    expect(error).toMatchObject({ reason: "error", cellIndex: 0 });
    expect(error.message).toContain("BigInt");
  });

  test("a program of a cell may print a character in two parts", async () => {
    const program =
      "const w = (...b) => process.stdout.write(Buffer.from(b)); w(0xe2); setTimeout(() => w(0x82, 0xac), 200)";
    const cell = `import { spawn } from "node:child_process";
const child = spawn(process.execPath, ["-e", ${JSON.stringify(program)}], { stdio: "inherit" });
await new Promise((done) => child.on("close", done));
await new Promise((done) => setTimeout(done, 200));`;
    const [outputs] = outputsOf(await runNotebook(notebookOf(code(cell)), { cwd: project }));
    expect(outputs).toEqual([printed("€")]);
  });

  test("accepts strings with Unicode's line ends as parameters", async () => {
    const text = "a\u2028b\u2029c";
    const notebook = notebookOf(code('let text = "";', "parameters"), code("[...text].map((c) => c.codePointAt(0))"));
    const [, , result] = outputsOf(await runNotebook(notebook, { cwd: project, parameters: { text } }));
    expect(result).toMatchObject([{ data: { "text/plain": "[ 97, 8232, 98, 8233, 99 ]" } }]);
  });

  test("cells with comms run without a page", async () => {
    const cell = 'comms.register("picker", (comm) => comm.close());\nconst comm = comms.open("map", { zoom: 1 });';
    const notebook = notebookOf(code(cell), code("comm.send({ zoom: 2 });\ncomm.close();\ncomm.target"));
    const [, result] = outputsOf(await runNotebook(notebook, { cwd: project }));
    expect(result).toMatchObject([{ data: { "text/plain": "'map'" } }]);
  });

  test.each([
    ["a notebook of this repository", () => join(repository, "notebooks")],
    ["a project that has it installed", () => project],
    ["an empty folder", () => tmpdir()],
  ])("siteframe can be imported, with types, in %s", async (_, cwd) => {
    const notebook = notebookOf(
      code('import { connect } from "siteframe";\nimport { plot } from "siteframe/plot";'),
      code("[typeof connect, plot().tagName]"),
    );
    const [, result] = outputsOf(await runNotebook(notebook, { cwd: cwd() }));
    expect(result).toMatchObject([{ data: { "text/plain": "[ 'function', 'SVG' ]" } }]);
    const wrong = notebookOf(code('import { connect } from "siteframe";\nconnect(5);'));
    expect((await failureOf(wrong, { cwd: cwd() })).message).toContain("TS2559");
  });

  test("the output of a cell's programs is kept, also at the end of the cell", async () => {
    const prints = Array.from({ length: 20 }, (_, n) =>
      code(`void execSync("echo program ${n}", { stdio: "inherit" });`),
    );
    // The process is busy, so that the end of a cell and its output arrive together.
    const busy = setInterval(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100), 1);
    onTestFinished(() => clearInterval(busy));
    const notebook = notebookOf(code('import { execSync } from "node:child_process";'), ...prints);
    const [, ...outputs] = outputsOf(await runNotebook(notebook, { cwd: project }));
    expect(outputs).toEqual(prints.map((_, n) => [printed(`program ${n}\n`)]));
  });
});

describe("the record of a run", () => {
  const reads = [
    'import { fromRecords } from "siteframe";\nconst records = { datasets: [], layerFeatures: [], propertyChanges: [] };',
    'const early = fromRecords(records, { readAt: new Date("2026-01-02T03:04:05Z") });\nawait early.sites();',
    'await (await fromRecords(records, { readAt: new Date("2026-02-02T00:00:00Z") }).layer({ site_id: 1 })).history();',
  ];

  test("lists the sources, their times and the versions", async () => {
    const notebook = { ...notebookOf(...reads.map((source) => code(source))), metadata: { mine: 1, siteframe: "old" } };
    const now = () => new Date("2026-03-03T00:00:00Z");
    const { metadata } = await runNotebook(notebook, { cwd: project, now });
    expect(metadata).toMatchObject({ mine: 1, language_info: { name: "typescript" } });
    expect(metadata["siteframe"]).toEqual({
      version: JSON.parse(readFileSync(join(repository, "package.json"), "utf8")).version,
      node: process.versions.node,
      executed_at: "2026-03-03T00:00:00.000Z",
      sources: [{ origin: { kind: "memory", name: "records" }, read_at: "2026-01-02T03:04:05.000Z" }],
    });
  });

  test("exists if a cell fails, without sources if nothing was read", async () => {
    const failed = await failureOf(notebookOf(code("null!.b")));
    expect(failed.notebook.metadata["siteframe"]).toMatchObject({ sources: [] });
  });
});

describe("a cell tagged raises-exception", () => {
  test("may fail: its error is kept, and the run continues", async () => {
    const progress: unknown[] = [];
    const executed = await runNotebook(
      notebookOf(
        code("let n = 1;"),
        code('n = 2;\nthrow new RangeError("meant");', "raises-exception"),
        code("const s: string = 1;", "raises-exception"),
        code("n", "raises-exception"),
        code("n + 1"),
      ),
      { cwd: project, onProgress: (step) => progress.push(step) },
    );
    expect(outputsOf(executed)).toMatchObject([
      [],
      [{ output_type: "error", ename: "RangeError", evalue: "meant" }],
      [{ output_type: "error", ename: "TypeScriptError" }],
      [{ output_type: "execute_result", data: { "text/plain": "2" } }],
      [{ output_type: "execute_result", data: { "text/plain": "3" } }],
    ]);
    expect(progress.at(-1)).toEqual({ done: 5, total: 5 });
  });

  test("may neither end its process nor run too long", async () => {
    const exits = await failureOf(notebookOf(code("process.exit(3);", "raises-exception"), code("1")));
    expect(exits).toMatchObject({ reason: "exit", cellIndex: 0 });
    const slow = notebookOf(code("while (true) {}", "raises-exception"));
    expect(await failureOf(slow, { timeoutMs: 1000 })).toMatchObject({ reason: "timeout", cellIndex: 0 });
  });
});

describe("the process of the cells ends with siteframe run, even if a cell is busy", () => {
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  test.each(["SIGINT", "SIGTERM", "SIGKILL"] as const)("after %s", async (signal) => {
    const path = join(project, `busy-${signal}.ipynb`);
    const file = join(project, `busy-${signal}.pid`);
    const write = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(file)}, String(process.pid));`;
    await writeNotebook(notebookOf(code(`${write}\nfor (;;);`)), path);
    const main = join(repository, "dist", "cli", "main.js");
    const run = spawn(process.execPath, [main, "run", "--engine", testedEngine, path], { stdio: "ignore" });
    const ended = once(run, "exit");
    onTestFinished(() => void run.kill("SIGKILL"));
    await expect.poll(() => existsSync(file) && readFileSync(file, "utf8"), { timeout: 60_000 }).toMatch(/^\d+$/);
    const pid = Number(readFileSync(file, "utf8"));
    onTestFinished(() => void (isAlive(pid) && process.kill(pid, "SIGKILL")));
    run.kill(signal);
    expect(await ended).toEqual([null, signal]);
    await expect.poll(() => isAlive(pid)).toBe(false);
    const folders = () =>
      readdirSync(tmpdir()).filter((name) => new RegExp(`^siteframe-cells-\\w+-${pid}-`).test(name));
    await expect.poll(folders).toEqual([]);
  });
});

describe("a notebook stops", () => {
  test("at the first error, with its place", async () => {
    const error = await failureOf(
      notebookOf(markdown("# T"), code("1"), code("const a: number = 1;\n\nnull!.b;\na;"), code("2")),
    );
    expect(error).toMatchObject({ code: "ERR_NOTEBOOK_RUN", reason: "error", cellIndex: 2 });
    expect(error.excerpt).toContain("> 3 | null!.b;");
    expect(outputsOf(error.notebook).map((outputs) => outputs.length)).toEqual([1, 1, 0]);
    expect(outputsOf(error.notebook)[1]?.[0]).toMatchObject({ output_type: "error", ename: expect.any(String) });
  });

  test("with the hint of the error", async () => {
    const tickets = 'aq.table({ STATUS: ["OPEN"] })';
    for (const typo of [`${tickets}.groupby("STATUSS");`, `aq.agg(${tickets}, aq.op.max("STATUSS"));`]) {
      expect((await failureOf(notebookOf(code(typo)))).hint).toBe('Did you mean "STATUS"?');
    }
    expect((await failureOf(notebookOf(code("throw new Error('no hint')")))).hint).toBeUndefined();
  });

  test("at a type error", async () => {
    const error = await failureOf(notebookOf(code("const a: string = 1;")));
    expect(error.message).toBe(
      "The notebook: cell [1] failed: TypeScriptError: 1:7 - TS2322: Type 'number' is not assignable to type 'string'.",
    );
  });

  test("at an error in a callback and at an unhandled rejection", async () => {
    const late = "setTimeout(() => { throw new Error('late'); }, 1);\nawait new Promise(() => {});";
    expect((await failureOf(notebookOf(code(late)))).message).toContain("Error: late");
    expect((await failureOf(notebookOf(code("Promise.reject(new Error('lost'));\n1")))).message).toContain(
      "Error: lost",
    );
  });

  test("when its process exits", async () => {
    const error = await failureOf(notebookOf(code("console.log('bye'); process.exit(3);"), code("2")));
    expect(error).toMatchObject({ reason: "exit", cellIndex: 0 });
    expect(error.message).toContain("The cell ended its process with exit code 3.");
    expect(outputsOf(error.notebook)[0]?.[0]).toMatchObject({ text: "bye\n" });
  });

  test("at the time limit, even in a loop without await", async () => {
    const cells = [code("console.log('before');"), code("console.log('in'); while (true) {}")];
    const error = await failureOf(notebookOf(...cells), { timeoutMs: 30_000 });
    expect(error).toMatchObject({ reason: "timeout", cellIndex: 1 });
    expect(error.message).toContain("The cell ran longer than 30000 ms.");
    expect(outputsOf(error.notebook)[1]?.[0]).toMatchObject({ text: "in\n" });
  });
});

const text = (value: string) => ({ "text/plain": value });
const shown = (outputs: readonly Output[]) =>
  outputs.map((output) => ("data" in output ? output.data["text/plain"] : JSON.stringify(output)));

test("an update does not change outputs after the display was cleared", () => {
  const collector = new OutputCollector();
  const [first, second] = [collector.startCell(), collector.startCell()];
  first.display(text("a"), { id: "x", update: false });
  second.display(text("other"));
  second.display(text("b"), { id: "x", update: false });
  second.clear();
  second.display(text("own"));
  first.display(text("c"), { id: "x", update: true });
  expect([shown(first.outputs), shown(second.outputs)]).toEqual([["c"], ["own"]]);
  second.display(text("d"), { id: "x", update: false });
  first.display(text("e"), { id: "x", update: true });
  expect([shown(first.outputs), shown(second.outputs)]).toEqual([["e"], ["own", "e"]]);
});
