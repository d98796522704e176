import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import { injectParameters } from "../../../src/notebook/file/inject-parameters.js";
import { NotebookFormatError } from "../../../src/notebook/file/notebook.js";
import {
  formatNotebook,
  parseNotebook,
  readNotebook,
  writeNotebook,
} from "../../../src/notebook/file/notebook-file.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { code, notebookOf } from "../cells.js";

const directory = temporaryFolder();

const file = {
  cells: [
    {
      cell_type: "code",
      execution_count: 2,
      id: "one",
      metadata: { tags: ["a"] },
      outputs: [
        { name: "stdout", output_type: "stream", text: ["a\n", "b"] },
        {
          data: { "application/json": ["kept", "so"], "text/plain": ["1\n", "2"] },
          metadata: {},
          output_type: "display_data",
        },
        { ename: "E", evalue: "e", output_type: "error", traceback: ["E: e"] },
      ],
      source: ["const a = 1;\n", "a"],
    },
    { cell_type: "markdown", metadata: {}, source: ["# T"] },
  ],
  metadata: { kernelspec: { name: "siteframe" } },
  nbformat: 4,
  nbformat_minor: 5,
};

describe("reading and writing", () => {
  test("a file stays the same", () => {
    expect(JSON.parse(formatNotebook(parseNotebook(JSON.stringify(file))))).toEqual(file);
  });

  test("texts are strings in memory", () => {
    const [cell] = parseNotebook(JSON.stringify(file)).cells;
    expect(cell).toMatchObject({
      source: "const a = 1;\na",
      outputs: [{ text: "a\nb" }, { data: { "text/plain": "1\n2" } }, {}],
    });
  });

  test("files can be written and read", async () => {
    const path = join(directory, "deep", "n.ipynb");
    await writeNotebook(parseNotebook(JSON.stringify(file)), path);
    expect(await readNotebook(path)).toEqual(parseNotebook(JSON.stringify(file)));
  });

  test.each([
    ["{", "$ is not valid JSON"],
    ["[]", "$ must be an object, not an array of 0 values"],
    ['{"nbformat":3}', "$.nbformat must be 4, not 3"],
    ['{"nbformat":4}', "$.cells must be a list, not undefined"],
    [
      '{"nbformat":4,"cells":[{"cell_type":"code","source":1}]}',
      "$.cells[0].source must be a string or a list of lines, not 1",
    ],
    [
      '{"nbformat":4,"cells":[{"cell_type":"x","source":""}]}',
      '$.cells[0].cell_type must be "code", "markdown" or "raw", not a string of 1 character',
    ],
    [
      '{"nbformat":4,"cells":[{"cell_type":"code","source":"","outputs":[{"output_type":"x"}]}]}',
      "$.cells[0].outputs[0].output_type is unknown, not a string of 1 character",
    ],
    ...(
      [
        [
          { output_type: "error", ename: { toString: 1 }, evalue: "" },
          "ename must be a string or a list of lines, not an object",
        ],
        [
          { output_type: "error", ename: "E", evalue: { toString: 1 } },
          "evalue must be a string or a list of lines, not an object",
        ],
        [
          { output_type: "error", ename: "E", evalue: "", traceback: "E" },
          "traceback must be a list of lines, not a string of 1 character",
        ],
        [
          { output_type: "error", ename: "E", evalue: "", traceback: [{}] },
          "traceback[0] must be a string or a list of lines, not an object",
        ],
        [
          { output_type: "display_data", data: { "text/plain": { toString: 5 } } },
          'data["text/plain"] must be a string or a list of lines, not an object',
        ],
        [
          { output_type: "display_data", data: { "text/html": ["a", 5] } },
          'data["text/html"] must be a string or a list of lines, not an array of 2 values',
        ],
      ] as const
    ).map(([output, problem]) => [
      JSON.stringify({ nbformat: 4, cells: [{ cell_type: "code", source: "", outputs: [output] }] }),
      `$.cells[0].outputs[0].${problem}`,
    ]),
  ])("%s is rejected", async (text, problem) => {
    const path = join(directory, "bad.ipynb");
    await writeFile(path, text);
    const error: unknown = await readNotebook(path).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NotebookFormatError);
    expect(String(error)).toContain(`${path} is not a notebook of nbformat 4: ${problem}.`);
  });

  test.each([
    [(deep: string) => `{"nbformat":4,"cells":[],"metadata":{"a":${deep}}}`, "$.metadata.a[0][0]"],
    [
      (deep: string) =>
        `{"nbformat":4,"cells":[],"metadata":${deep.replaceAll("[", '{"a":').replaceAll("]", "}").replace(":}", ":1}")}}`,
      "$.metadata.a.a.a",
    ],
    [
      (deep: string) =>
        `{"nbformat":4,"cells":[{"cell_type":"markdown","source":"","metadata":{},"attachments":${deep}}]}`,
      "$.cells[0].attachments[0]",
    ],
  ])("deep nesting is rejected, and other content is kept", async (text, path) => {
    const deep = (levels: number) => text(`${"[".repeat(levels)}${"]".repeat(levels)}`);
    expect(() => parseNotebook(deep(50_000), "deep.ipynb")).toThrow(NotebookFormatError);
    expect(() => parseNotebook(deep(50_000), "deep.ipynb")).toThrow(`${path} is nested deeper than 500 levels.`);
    const kept = parseNotebook(deep(490));
    expect(parseNotebook(formatNotebook(kept))).toEqual(kept);
  });

  test("the error for a missing file names it", async () => {
    const error: unknown = await readNotebook("no/such.ipynb").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ArgumentError);
    expect(String(error)).toContain("The notebook no/such.ipynb does not exist.");
  });
});

describe("parameters", () => {
  const sources = (notebook: ReturnType<typeof notebookOf>) => notebook.cells.map((cell) => cell.source);

  test("are placed after the tagged cell or first, and replace earlier ones", () => {
    const tagged = notebookOf(code("first"), code("let n = 1", "parameters"), code("n"));
    const once = injectParameters(tagged, { n: 2, name: 'a"b' });
    expect(sources(once)).toEqual(["first", "let n = 1", 'let n = 2;\nlet name = "a\\"b";', "n"]);
    expect(sources(injectParameters(once, { n: 3 }))).toEqual(["first", "let n = 1", "let n = 3;", "n"]);
    expect(sources(injectParameters(notebookOf(code("n")), { n: 3 }))).toEqual(["let n = 3;", "n"]);
    expect(injectParameters(tagged, {})).toBe(tagged);
  });

  test("an injected cell has an id if cells have ids", () => {
    const notebook = { ...notebookOf(code("n")), nbformat_minor: 5 };
    expect(injectParameters(notebook, { n: 1 }).cells[0]).toHaveProperty("id", "injected-parameters");
  });

  test.each([
    ["a\u2028b\u2029c"],
    [{ "\u2028": ["\u2029", '"__proto__":', '\\"__proto__":'] }],
    [JSON.parse('{"__proto__":{"a":1},"b":{"__proto__":null}}')],
    ["`\\u2028'"],
  ])("a value is the same in TypeScript and JSON: %j", (value) => {
    const [cell] = injectParameters(notebookOf(code("n")), { n: value }).cells;
    const { outputText, diagnostics } = ts.transpileModule(cell?.source ?? "", { reportDiagnostics: true });
    expect(diagnostics).toEqual([]);
    expect(cell?.source).not.toMatch(/[\u2028\u2029]/);
    const found: unknown = new Function(`${outputText}; return n;`)();
    expect(JSON.stringify(found)).toBe(JSON.stringify(value));
    // JSON.stringify writes no minus zero.
    if (typeof value === "object" || typeof value === "number") expect(found).toStrictEqual(value);
  });

  test("names and values are checked", () => {
    expect(() => injectParameters(notebookOf(), { "a-b": 1 })).toThrow('The parameter "a-b" is not a variable name.');
    expect(() => injectParameters(notebookOf(), { a: undefined })).toThrow(
      "The parameter a must be JSON, not undefined.",
    );
    expect(() => injectParameters(notebookOf(), { a: 1n })).toThrow(
      "The parameter a contains 1, which JSON does not support.",
    );
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, { b: [Number.NEGATIVE_INFINITY] }, [12n]]) {
      expect(() => injectParameters(notebookOf(), { a: value })).toThrow(/^The parameter a contains/);
    }
    const circle: unknown[] = [];
    circle.push(circle);
    expect(() => injectParameters(notebookOf(), { a: circle })).toThrow(ArgumentError);
    const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`);
    expect(() => injectParameters(notebookOf(), { a: deep })).toThrow(ArgumentError);
  });
});
