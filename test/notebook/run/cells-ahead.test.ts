import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Notebook, NotebookRunError, type Output } from "../../../src/notebook/file/notebook.js";
import { runNotebook as run } from "../../../src/notebook/run/run-notebook.js";
import type { MimeBundle } from "../../../src/tables/display/mime-bundle.js";
import { testedEngine } from "../../support/tested-engine.js";
import { code, notebookOf } from "../cells.js";

const repository = join(import.meta.dirname, "..", "..", "..");
let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "siteframe-ahead-"));
  await mkdir(join(project, "node_modules"));
  await symlink(repository, join(project, "node_modules", "siteframe"));
});
afterAll(() => rm(project, { recursive: true }));

const runNotebook = (...cells: Notebook["cells"]) => run(notebookOf(...cells), { engine: testedEngine, cwd: project });

const failureOf = async (...cells: Notebook["cells"]): Promise<NotebookRunError> => {
  const error: unknown = await runNotebook(...cells).catch((thrown: unknown) => thrown);
  if (!(error instanceof NotebookRunError)) throw error;
  return error;
};

function outputsOf({ cells }: Notebook): (readonly Output[])[] {
  return cells.flatMap((cell) => (cell.cell_type === "code" ? [cell.outputs] : []));
}

const dataOf = (output: Output | undefined): MimeBundle => (output && "data" in output ? output.data : {});
const wait = "await new Promise((done) => setTimeout(done, 1500));";
const write = (name: string, text: string) =>
  `import { mkdirSync, writeFileSync } from "node:fs";\nmkdirSync("node_modules/late", { recursive: true });\nwriteFileSync(${JSON.stringify(name)}, ${JSON.stringify(text)});`;

describe("cells that are checked while those before them run", () => {
  test("see a file as an earlier cell has written it, though they do not name it", async () => {
    await writeFile(join(project, "unit.ts"), 'export const unit: string = "m";');
    const error = await failureOf(
      code('import { unit } from "./unit.ts";'),
      code(`${wait}\n${write("unit.ts", "export const unit: number = 5;")}`),
      code("const metres: string = unit;"),
    );
    expect(error.cellIndex).toBe(2);
    expect(error.message).toContain("Type 'number' is not assignable to type 'string'");
  });

  test("are right where an earlier cell has mended the file", async () => {
    await writeFile(join(project, "mended.ts"), "export const mended: number = 5;");
    const notebook = await runNotebook(
      code('import { mended } from "./mended.ts";\nconst before = mended;'),
      code(`${wait}\n${write("mended.ts", 'export const mended: string = "m";')}`),
      code("const again: string = mended;"),
      code("typeof before"),
    );
    expect(dataOf(outputsOf(notebook)[3]?.[0])).toEqual({ "text/plain": "'number'" });
  });

  test("find a package that an earlier cell has installed", async () => {
    const [, , shown] = outputsOf(
      await runNotebook(
        code(write("node_modules/late/package.json", '{"name": "late", "main": "index.js"}')),
        code(`${wait}\n${write("node_modules/late/index.js", "exports.late = 7;")}`),
        code('import { late } from "late";\nlate'),
      ),
    );
    expect(dataOf(shown?.[0])).toEqual({ "text/plain": "7" });
  });

  test("know nothing of one that was refused, and all of one that failed when it ran", async () => {
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

  test("may declare anew what others use, each as it was before them", async () => {
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

// tslab compiles each cell when its turn has come, and knows no `declare global`.
describe.runIf(testedEngine === "typescript")("cells that are checked together", () => {
  const shown = (notebook: Notebook) => outputsOf(notebook).map(([output]) => dataOf(output)["text/plain"]);

  test("are each refused for their own errors, and told where these are", async () => {
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

  test("know no name, and no more of types, before the cell that declares it", async () => {
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

  test("mean what was there before a later cell took the name", async () => {
    const notebook = await runNotebook(
      code("const before = typeof process;"),
      code("const process = 5;"),
      code("[before, typeof process]"),
    );
    expect(shown(notebook)).toEqual([undefined, undefined, "[ 'object', 'number' ]"]);
  });

  test("are as many as a notebook has", async () => {
    const cells = Array.from({ length: 80 }, (_, index) =>
      code(`const n${index} = ${index && `n${index - 1} + 1`}; n${index}`),
    );
    expect(shown(await runNotebook(...cells))).toEqual(cells.map((_, index) => String(index)));
  });
});

describe("pictures that are painted while later cells run", () => {
  const figure = `import { plot, Plot } from "siteframe/plot";
const figure = plot({ title: "Depths", marks: [Plot.dot([{ d: 1 }, { d: 3 }], { x: "d", y: "d" })] });`;

  test("are those that the figure shows where nobody else paints", async () => {
    const notebook = await runNotebook(code(`${figure}\ndisplay(figure);\nfigure`), code("1"));
    const [displayed, result] = outputsOf(notebook)[0] ?? [];
    expect(String(dataOf(result)["image/png"])).toMatch(/^iVBOR/);
    expect(dataOf(result)).toEqual(dataOf(displayed));
  });

  test("are there also where a later cell fails, or ends its process", async () => {
    for (const failing of ["throw new Error('no')", "process.exit(3)"]) {
      const { notebook } = await failureOf(code(`${figure}\nfigure`), code(failing));
      expect(String(dataOf(outputsOf(notebook)[0]?.[0])["image/png"])).toMatch(/^iVBOR/);
    }
  });

  test("are the user's own where a figure shows itself as the user says", async () => {
    const own = `Object.assign(figure, { [Symbol.for("Jupyter.display")]: () => ({ "text/plain": "mine" }) })`;
    const [outputs] = outputsOf(await runNotebook(code(`${figure}\n${own}`)));
    expect(dataOf(outputs?.[0])).toEqual({ "text/plain": "mine" });
  });
});
