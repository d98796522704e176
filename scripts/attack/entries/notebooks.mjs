// Files of notebooks and scripts, and the pages, mails and terminal texts that are made of them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { damagedJson, damagedText, hostileText, nested } from "../mutations.mjs";
import { startWorker } from "../worker-target.mjs";

const markdown = `# Report, *first*

| a | b |
|---|---|
| 1 | [link](https://example.com) |

> quote
> 1. item
>    - inner \`code\` &amp; <b>html</b>

\`\`\`ts
const x = 1;
\`\`\`
![picture](attachment:a.png) $x^2$ **bold** __bold__ ~~gone~~ www.example.com`;

const ansi =
  "\u001b[31mred\u001b[0m \u001b[1;4mbold\u001b[0m\r\u001b[2Kover\u001b]8;;https://example.com\u0007link\u001b]8;;\u0007\b\b";

const cell = (more) => ({
  cell_type: "code",
  id: "a",
  metadata: {},
  execution_count: 1,
  outputs: [],
  source: "const x = 1",
  ...more,
});
const notebook = {
  cells: [
    { cell_type: "raw", id: "f", metadata: {}, source: "---\ntitle: A title\n---" },
    {
      cell_type: "markdown",
      id: "m",
      metadata: {},
      source: [markdown],
      attachments: { "a.png": { "image/png": "iVBORw0KGgo=" } },
    },
    cell({ outputs: [{ output_type: "stream", name: "stdout", text: [ansi] }] }),
    cell({ id: "b", outputs: [{ output_type: "error", ename: "Error", evalue: "no", traceback: [ansi] }] }),
    cell({
      id: "c",
      outputs: [
        {
          output_type: "execute_result",
          execution_count: 1,
          metadata: {},
          data: { "text/plain": "1", "text/html": "<p>1</p>", "text/markdown": "# x" },
        },
        {
          output_type: "display_data",
          metadata: {},
          data: { "image/svg+xml": "<svg xmlns='http://www.w3.org/2000/svg'/>", "text/latex": "$x$" },
        },
        {
          output_type: "display_data",
          metadata: {},
          data: { "application/json": { a: 1 }, "image/png": "iVBORw0KGgo=" },
        },
      ],
    }),
  ],
  metadata: { kernelspec: { name: "siteframe", display_name: "Siteframe", language: "typescript" } },
  nbformat: 4,
  nbformat_minor: 5,
};
const script = '// %% [markdown]\n// # Title\n// %% tags=["parameters"]\nconst a = 1;\n// %%\na + 1\n';

const repeated = fc
  .tuple(
    fc.constantFrom(
      "_a",
      "*a",
      "**a",
      "~~a",
      "[a](",
      "![",
      "`",
      "<b>",
      "&",
      "\\",
      "> ",
      "- ",
      "1. ",
      "| a ",
      "#",
      "\t",
      "www.a.",
      "a@b.c ",
      "$",
      "^^",
      "[^1]",
      "<!--",
      "<a href='",
    ),
    fc.constantFrom(10, 500, 10_000, 60_000),
    fc.boolean(),
  )
  .map(([text, count, isLines]) => `${text}${isLines ? "\n" : ""}`.repeat(count).slice(0, 400_000));

const texts = fc.oneof(
  damagedText(markdown),
  repeated,
  nested([
    ["> ", ""],
    ["[", "]"],
    ["*", "*"],
    ["<b>", "</b>"],
    ["- ", ""],
    ["[![", "](a)](b)"],
    ["(", ")"],
    ["<!--", "-->"],
    ["**_", "_**"],
  ]),
  hostileText,
  fc
    .tuple(damagedText(ansi, 8), fc.constantFrom(1, 1000))
    .map(([text, count]) => text.slice(0, 400_000 / count).repeat(count)),
);

const named = (name, kind, text) => ({ name, input: { kind, text } });
const withMarkdown = (source) =>
  JSON.stringify({ ...notebook, cells: [notebook.cells[2], { cell_type: "markdown", id: "m", metadata: {}, source }] });

export async function prepare(folder) {
  return {
    corpus: [
      named("valid notebook", "notebook", JSON.stringify(notebook)),
      named("valid script", "script", script),
      named("5,000 nested quotes", "notebook", withMarkdown(`${"> ".repeat(5000)}x`)),
      named("120 kB of emphasis", "notebook", withMarkdown("_a".repeat(60_000))),
      named("deep JSON", "notebook", `{"cells":${"[".repeat(100_000)}`),
    ],
    arbitrary: fc.oneof(
      { weight: 3, arbitrary: damagedJson(notebook).map((text) => ({ kind: "notebook", text })) },
      { weight: 4, arbitrary: texts.map((text) => ({ kind: "notebook", text: withMarkdown(text) })) },
      { weight: 2, arbitrary: texts.map((text) => ({ kind: "output", text })) },
      { weight: 1, arbitrary: damagedText(script).map((text) => ({ kind: "script", text })) },
      { weight: 1, arbitrary: texts.map((text) => ({ kind: "code", text })) },
    ),
    // Notebooks are what the caller typed.
    typed: ({ text }) => text,
    start: () => startWorker("notebooks", { folder }),
  };
}

export async function attack({ folder }) {
  const { formatNotebook, readNotebook } = await import("../../../modules/notebook/file/notebook-file.js");
  const { parsePercentScript, toPercentScript } = await import("../../../modules/notebook/file/percent-script.js");
  const { injectParameters, parameterNames } = await import("../../../modules/notebook/file/inject-parameters.js");
  const { readFrontMatter } = await import("../../../modules/notebook/file/front-matter.js");
  const { toHtml } = await import("../../../modules/notebook/page/to-html.js");
  const { toEml } = await import("../../../modules/notebook/page/to-eml.js");
  const { summarizeNotebook } = await import("../../../modules/notebook/page/notebook-summary.js");
  const { terminalText } = await import("../../../modules/notebook/page/terminal-text.js");
  return async ({ kind, text }, { attempt }) => {
    const path = join(folder, kind === "script" ? "own.ts" : "own.ipynb");
    if (kind === "output" || kind === "code") {
      const one =
        kind === "code"
          ? cell({ source: text })
          : cell({
              outputs: [
                { output_type: "stream", name: "stdout", text },
                { output_type: "error", ename: text.slice(0, 100), evalue: text, traceback: [text] },
                { output_type: "display_data", metadata: {}, data: { "text/markdown": text, "text/latex": text } },
                { output_type: "display_data", metadata: {}, data: { "text/plain": text } },
              ],
            });
      writeFileSync(path, JSON.stringify({ ...notebook, cells: [one] }));
    } else writeFileSync(path, text);
    const read = await attempt(() => (kind === "script" ? parsePercentScript(text, path) : readNotebook(path)));
    if (!read) return;
    await attempt(() => readFrontMatter(read));
    await attempt(() => summarizeNotebook(read));
    await attempt(() => toHtml(read));
    await attempt(() => toEml(read, { title: "x", to: undefined, attachments: [] }));
    await attempt(() => parameterNames(read));
    await attempt(() => injectParameters(read, { a: 2 }));
    const other = await attempt(() => toPercentScript(read));
    if (other !== undefined) await attempt(() => parsePercentScript(other, path));
    await attempt(() => formatNotebook(read));
    await attempt(() => terminalText(text));
  };
}
