import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFrontMatter } from "../../../src/notebook/file/front-matter.js";
import { type Notebook, NotebookFormatError } from "../../../src/notebook/file/notebook.js";
import { readNotebook } from "../../../src/notebook/file/notebook-file.js";
import { parsePercentScript, scriptCode, toPercentScript } from "../../../src/notebook/file/percent-script.js";
import { runNotebook } from "../../../src/notebook/run/run-notebook.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { randomRuns } from "../../support/random-runs.js";

const folder = temporaryFolder();

const script = `// ---
// jupyter:
//   jupytext:
//     text_representation:
//       extension: .ts
//       format_name: percent
//       format_version: '1.3'
//   kernelspec:
//     name: "siteframe"
//     display_name: "TypeScript (Siteframe)"
// ---

// %% [markdown] id="intro"
// # Open tickets
//
// As of *today*.

// %% Parameters id="a1" tags=["parameters"]
let site = 101;

// %% id="b2"
site + 1;
`;

const notebook: Notebook = {
  nbformat: 4,
  nbformat_minor: 5,
  metadata: { kernelspec: { name: "siteframe", display_name: "TypeScript (Siteframe)" } },
  cells: [
    { cell_type: "markdown", id: "intro", metadata: {}, source: "# Open tickets\n\nAs of *today*." },
    {
      ...{ cell_type: "code", id: "a1", metadata: { title: "Parameters", tags: ["parameters"] } },
      ...{ source: "let site = 101;", execution_count: null, outputs: [] },
    },
    { cell_type: "code", id: "b2", metadata: {}, source: "site + 1;", execution_count: null, outputs: [] },
  ],
};

const line = fc.oneof(
  fc.string(),
  fc.constantFrom("", "// %%", "//%%", "// // %% [markdown]", "// %%%", "%%"),
  fc.constantFrom("// ---", "// text", "  // %%", " ", "\t", "//", "x\r"),
);
const source = fc.array(line, { maxLength: 6 }).map((lines) => lines.join("\n"));
const metadata = fc.oneof(
  fc.constant({}),
  fc.record({ tags: fc.array(fc.string()) }),
  fc.record({ title: fc.oneof(fc.string(), fc.constantFrom("Two words", "a=1", "[raw]")), collapsed: fc.boolean() }),
  // Colab's notebooks have ids among the metadata of cells, too.
  fc.dictionary(
    fc.oneof(fc.string(), fc.constantFrom("jupyter", "a.b", "id", "_id", "__id")),
    fc.jsonValue({ maxDepth: 2 }),
  ),
);
const cell = (id: string) =>
  fc.oneof(
    fc.record({
      ...{ cell_type: fc.constant("code" as const), id: fc.constant(id), metadata, source },
      ...{ execution_count: fc.constant(null), outputs: fc.constant([]) },
    }),
    fc.record({
      cell_type: fc.constantFrom("markdown" as const, "raw" as const),
      id: fc.constant(id),
      metadata,
      source,
    }),
  );

describe("a notebook as a script", () => {
  it("is written in cells, and read as it was", () => {
    expect(toPercentScript(notebook)).toBe(script);
    expect(parsePercentScript(script)).toEqual(notebook);
    expect(parsePercentScript(script.replaceAll("\n", "\r\n"))).toEqual(notebook);
  });

  it("keeps all code, texts, tags, ids and other metadata", () => {
    const cells = fc
      .integer({ min: 0, max: 5 })
      .chain((count) => fc.tuple(...Array.from({ length: count }, (_, n) => cell(`c${n}`))));
    fc.assert(
      fc.property(cells, (cells) => {
        const given: Notebook = JSON.parse(JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells }));
        expect(parsePercentScript(toPercentScript(given))).toEqual(given);
      }),
      { numRuns: randomRuns(300) },
    );
  });

  it("may be written by hand", () => {
    const { cells } = parsePercentScript(
      "const first = 1;\n//%%\nfirst + 1\n// %% [md]\n//no blank\n\n// %% A title\n",
    );
    expect(cells.map(({ cell_type, source, metadata, id }) => [cell_type, source, metadata, id])).toEqual([
      ["code", "const first = 1;", {}, "cell-1"],
      ["code", "first + 1", {}, "cell-2"],
      ["markdown", "no blank", {}, "cell-3"],
      ["code", "", { title: "A title" }, "cell-4"],
    ]);
    expect(parsePercentScript("1 + 1").cells).toHaveLength(1);
    expect(parsePercentScript("").cells).toEqual([]);
    expect(parsePercentScript('// %%\na\n// %% id="cell-1"\nb').cells.map(({ id }) => id)).toEqual([
      "cell-1001",
      "cell-1",
    ]);
  });

  it("keeps jupytext's front matter in the head", () => {
    const head = ["title: Week 27", "author: Site office", "jupyter:", "  kernelspec:", "    name: siteframe"];
    const text = ["---", ...head, "---"].map((line) => `// ${line}`).join("\n");
    const { metadata, cells } = parsePercentScript(`${text}\n\n// %%\n1;\n`);
    expect(metadata).toEqual({ kernelspec: { name: "siteframe" } });
    expect(cells.map(({ cell_type, source }) => [cell_type, source])).toEqual([
      ["raw", "---\ntitle: Week 27\nauthor: Site office\n---"],
      ["code", "1;"],
    ]);
    expect(readFrontMatter({ ...notebook, cells })).toEqual({ title: "Week 27", author: "Site office" });
  });

  it("ignores blank lines in jupytext's head", () => {
    const head = "// ---\n//\n// jupyter:\n//   kernelspec:\n//     name: siteframe\n// \n// ---";
    const { metadata, cells } = parsePercentScript(`${head}\n\n// %%\n1;\n`);
    expect(metadata).toEqual({ kernelspec: { name: "siteframe" } });
    expect(cells.map(({ source }) => source)).toEqual(["1;"]);
  });

  it("does not mistake code between rulers for its head", () => {
    const text = "// ---\nlet site = 1;\n// ---\n// %%\nsite;";
    expect(parsePercentScript(text).cells.map(({ cell_type, source }) => [cell_type, source])).toEqual([
      ["code", "// ---\nlet site = 1;\n// ---"],
      ["code", "site;"],
    ]);
    expect(scriptCode(text)[0]).toEqual({ firstLine: 0, code: "// ---\nlet site = 1;\n// ---" });
    expect(parsePercentScript("// ---\n// words\n\n1;").cells).toMatchObject([{ source: "// ---\n// words\n\n1;" }]);
  });

  it("gives each cell a unique id, also to a copied cell", () => {
    const { cells } = parsePercentScript('// %% id="a"\n1\n// %% id="a"\n2\n// %% id="cell-2"\n3\n// %% id=5\n4');
    expect(cells.map(({ id, metadata }) => [id, metadata])).toEqual([
      ["a", {}],
      ["cell-1002", {}],
      ["cell-2", {}],
      ["cell-4", { id: 5 }],
    ]);
  });

  it("reports the line of invalid metadata", () => {
    const wrong = () => parsePercentScript("// %%\n1\n// %% tags=[parameters]\n2", "report.ts");
    expect(wrong).toThrow(NotebookFormatError);
    expect(wrong).toThrow(
      expect.objectContaining({
        message: "report.ts is not a script with cells between // %%: line 3 has invalid metadata tags=[parameters].",
        hint: 'Use key=value with JSON values: tags=["parameters"].',
        path: "line 3",
      }),
    );
  });

  it("runs like a notebook", async () => {
    const path = join(folder, "report.ts");
    writeFileSync(path, script);
    expect((await readNotebook(path)).cells).toHaveLength(3);
    const { cells } = await runNotebook(path, { parameters: { site: 7 } });
    expect(cells.at(-1)).toMatchObject({ outputs: [{ data: { "text/plain": "8" } }] });
  });
});

describe("the code of a script with its lines", () => {
  it("is the code of its cells, also before the first marker and after the head", () => {
    const head = "// ---\n// jupyter:\n// ---\n";
    const text = `${head}const a = 1;\n// %% named tags=["x"]\nlet b;\nb = a;\n// %% [markdown]\n// words\n//%%\nb;`;
    expect(scriptCode(text)).toEqual([
      { firstLine: 3, code: "const a = 1;" },
      { firstLine: 5, code: "let b;\nb = a;" },
      { firstLine: 10, code: "b;" },
    ]);
    expect(scriptCode(text.replaceAll("\n", "\r\n"))).toEqual(scriptCode(text));
    expect(scriptCode("const a = 1;")).toEqual([]);
  });
});
