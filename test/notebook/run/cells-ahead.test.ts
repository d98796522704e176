import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Notebook } from "../../../src/notebook/file/notebook.js";
import { testedEngine } from "../../support/tested-engine.js";
import { code, notebookOf } from "../cells.js";
import { dataOf, failureOf as failure, outputsOf, runNotebook as run, temporaryProject } from "./run-cells.js";

const project = temporaryProject();
const runNotebook = (...cells: Notebook["cells"]) => run(notebookOf(...cells), { cwd: project });
const failureOf = (...cells: Notebook["cells"]) => failure(notebookOf(...cells), { cwd: project });
const wait = "await new Promise((done) => setTimeout(done, 1500));";
const write = (name: string, text: string) =>
  `import { mkdirSync, writeFileSync } from "node:fs";\nmkdirSync("node_modules/late", { recursive: true });\nwriteFileSync(${JSON.stringify(name)}, ${JSON.stringify(text)});`;

describe("cells that are checked while earlier cells run", () => {
  test("see a file that an earlier cell wrote, though they do not name it", async () => {
    await writeFile(join(project, "unit.ts"), 'export const unit: string = "m";');
    const error = await failureOf(
      code('import { unit } from "./unit.ts";'),
      code(`${wait}\n${write("unit.ts", "export const unit: number = 5;")}`),
      code("const metres: string = unit;"),
    );
    expect(error.cellIndex).toBe(2);
    expect(error.message).toContain("Type 'number' is not assignable to type 'string'");
  });

  test("are valid after an earlier cell fixed the file", async () => {
    await writeFile(join(project, "fixed.ts"), "export const fixed: number = 5;");
    const notebook = await runNotebook(
      code('import { fixed } from "./fixed.ts";\nconst before = fixed;'),
      code(`${wait}\n${write("fixed.ts", 'export const fixed: string = "m";')}`),
      code("const again: string = fixed;"),
      code("typeof before"),
    );
    expect(dataOf(outputsOf(notebook)[3]?.[0])).toEqual({ "text/plain": "'number'" });
  });

  test("find a package that an earlier cell installed", async () => {
    const [, , shown] = outputsOf(
      await runNotebook(
        code(write("node_modules/late/package.json", '{"name": "late", "main": "index.js"}')),
        code(`${wait}\n${write("node_modules/late/index.js", "exports.late = 7;")}`),
        code('import { late } from "late";\nlate'),
      ),
    );
    expect(dataOf(shown?.[0])).toEqual({ "text/plain": "7" });
  });

  test("see no names of a rejected cell, but the names of a cell that failed while running", async () => {
    const notebook = await runNotebook(
      code("const refused = 1; const wrong: number = 'x';", "raises-exception"),
      code("refused", "raises-exception"),
      code("const refused = 'two'; throw new Error('late');", "raises-exception"),
      code("refused.toUpperCase()"),
    );
    const [first, second, third, last] = outputsOf(notebook);
    expect(first).toMatchObject([{ evalue: expect.stringContaining("TS2322") }]);
    expect(second).toMatchObject([{ evalue: expect.stringContaining("Cannot find name 'refused'") }]);
    expect(third).toMatchObject([{ evalue: expect.stringContaining("late") }]);
    expect(dataOf(last?.[0])).toEqual({ "text/plain": "'TWO'" });
  });

  test("may declare a used name again, with its value before them", async () => {
    const notebook = await runNotebook(
      code("let depth = 1; const twice = () => depth * 2;"),
      code("depth = 4; twice()"),
      code('const depth = "deep"; depth.length'),
      code("depth.toUpperCase()"),
    );
    expect(outputsOf(notebook).map(([output]) => dataOf(output)["text/plain"])).toEqual([
      ...[undefined, "8", "4", "'DEEP'"],
    ]);
  });
});

// tslab compiles each cell before it runs, and does not support `declare global`.
describe.runIf(testedEngine === "typescript")("cells that are checked together", () => {
  const shown = (notebook: Notebook) => outputsOf(notebook).map(([output]) => dataOf(output)["text/plain"]);

  test("are rejected for their own errors, with the place of the error", async () => {
    const error = await failureOf(
      code("const depth = 4;"),
      code("depth + 1"),
      code("const unit = 'm';\nconst wrong: number = unit;"),
      code("unit"),
    );
    expect(error.cellIndex).toBe(2);
    expect(error.message).toContain("TS2322: Type 'string' is not assignable to type 'number'");
    expect(error.excerpt.join("\n")).toMatch(/> 2 \| const wrong: number = unit;\n.*\^/);
    expect(shown(error.notebook)).toEqual([undefined, "5", undefined, undefined]);
  });

  test("see names and types only after the cell that declares them", async () => {
    await mkdir(join(project, "node_modules", "words"), { recursive: true });
    const typed = {
      "package.json": '{"main": "index.js", "types": "index.d.ts"}',
      "index.js": "globalThis.word = 'w';",
    };
    const types = "export {}; declare global { var word: string; }";
    for (const [name, text] of Object.entries({ ...typed, "index.d.ts": types })) {
      await writeFile(join(project, "node_modules", "words", name), text);
    }
    const notebook = await runNotebook(
      code("const first = 1;"),
      code("later + 1", "raises-exception"),
      code("[1, 2].second()", "raises-exception"),
      code("word.length", "raises-exception"),
      code("const later = 2; later"),
      code(
        "declare global { interface Array<T> { second(): T } }\nArray.prototype.second = function () { return this[1]; };",
      ),
      code("[1, 2].second()"),
      code('import "words";'),
      code("word.length"),
    );
    const messages = outputsOf(notebook).map(([output]) => (output && "evalue" in output ? output.evalue : ""));
    expect(messages[1]).toContain("Cannot find name 'later'");
    expect(messages[2]).toContain("Property 'second' does not exist");
    expect(messages[3]).toContain("Cannot find name 'word'");
    const [, , , , later, , second, , length] = shown(notebook);
    expect([later, second, length]).toEqual(["2", "2", "1"]);
  });

  test("use the earlier value of a name that a later cell declares", async () => {
    const notebook = await runNotebook(
      code("const before = typeof process;"),
      code("const process = 5;"),
      code("[before, typeof process]"),
    );
    expect(shown(notebook)).toEqual([undefined, undefined, "[ 'object', 'number' ]"]);
  });

  test("may be many", async () => {
    const cells = Array.from({ length: 80 }, (_, index) =>
      code(`const n${index} = ${index && `n${index - 1} + 1`}; n${index}`),
    );
    expect(shown(await runNotebook(...cells))).toEqual(cells.map((_, index) => String(index)));
  });
});

describe("pictures that are painted while later cells run", () => {
  const figure = `import { plot, Plot } from "siteframe/plot";
const figure = plot({ title: "Depths", marks: [Plot.dot([{ d: 1 }, { d: 3 }], { x: "d", y: "d" })] });`;

  test("are the pictures of the displayed figure", async () => {
    const notebook = await runNotebook(code(`${figure}\ndisplay(figure);\nfigure`), code("1"));
    const [displayed, result] = outputsOf(notebook)[0] ?? [];
    expect(String(dataOf(result)["image/png"])).toMatch(/^iVBOR/);
    expect(dataOf(result)).toEqual(dataOf(displayed));
  });

  test("are kept if a later cell fails or ends its process", async () => {
    for (const failing of ["throw new Error('no')", "process.exit(3)"]) {
      const { notebook } = await failureOf(code(`${figure}\nfigure`), code(failing));
      expect(String(dataOf(outputsOf(notebook)[0]?.[0])["image/png"])).toMatch(/^iVBOR/);
    }
  });

  test("are not painted if the user replaces the display of a figure", async () => {
    const own = `Object.assign(figure, { [Symbol.for("Jupyter.display")]: () => ({ "text/plain": "mine" }) })`;
    const [outputs] = outputsOf(await runNotebook(code(`${figure}\n${own}`)));
    expect(dataOf(outputs?.[0])).toEqual({ "text/plain": "mine" });
  });
});
