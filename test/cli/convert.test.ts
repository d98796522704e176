import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { runSiteframe } from "./run-siteframe.js";

const folder = temporaryFolder();
const file = (name: string) => join(folder, name);
const convert = (from: string, to: string) => runSiteframe(["convert", file(from), file(to)]);

const notebook = {
  ...{ nbformat: 4, nbformat_minor: 5 },
  metadata: { kernelspec: { name: "siteframe", display_name: "TypeScript (Siteframe)" }, own: { kept: true } },
  cells: [
    {
      cell_type: "markdown",
      id: "a",
      metadata: {},
      source: ["# Sums\n", "![x](attachment:x.png)"],
      attachments: { "x.png": {} },
    },
    {
      ...{ cell_type: "code", id: "b", metadata: { tags: ["parameters"] }, source: ["let n = 2;"], execution_count: 1 },
      outputs: [{ output_type: "stream", name: "stdout", text: ["two\n"] }],
    },
    { cell_type: "code", id: "c", metadata: {}, source: ["n + 1"], execution_count: 2, outputs: [] },
  ],
};

describe("siteframe convert", () => {
  it("writes a script, and writes its changes back into the notebook", async () => {
    writeFileSync(file("sums.ipynb"), JSON.stringify(notebook));
    const there = await convert("sums.ipynb", "new/sums.ts");
    expect(there).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Left out the attached pictures of 1 cell."),
    });
    const script = readFileSync(file("new/sums.ts"), "utf8");
    expect(script).toContain('// %% id="b" tags=["parameters"]\nlet n = 2;\n');
    writeFileSync(file("new/sums.ts"), script.replace("n + 1", "n + 10"));
    expect(await convert("new/sums.ts", "sums.ipynb")).toMatchObject({ code: 0, stderr: "" });
    const back = JSON.parse(readFileSync(file("sums.ipynb"), "utf8"));
    const [text, , changed] = notebook.cells;
    expect(back).toEqual({
      ...notebook,
      cells: [text, notebook.cells[1], { ...changed, source: ["n + 10"], execution_count: null }],
    });
  });

  const failure = (message: string) => ({ code: 1, stderr: expect.stringContaining(message) });

  it.each([
    ["a.ts", "b.ts", "siteframe convert: unsupported files"],
    ["a.ipynb", "b.ipynb", "siteframe convert: unsupported files"],
    ["a.ipynb", "b.py", "siteframe convert: unsupported files"],
    ["no.ipynb", "no.ts", "no.ipynb does not exist"],
  ])("refuses %s and %s", async (from, to, message) => {
    expect(await convert(from, to)).toMatchObject(failure(message));
  });

  it("writes scripts that run, but cannot store outputs", async () => {
    writeFileSync(file("sum.ts"), "// %%\nlet n = 2;\n\n// %%\nn + 1\n");
    const out = file("sum.ipynb");
    expect(await runSiteframe(["run", file("sum.ts"), "--out", out])).toMatchObject({ code: 0 });
    expect(readFileSync(out, "utf8")).toContain('"3"');
    const check = await runSiteframe(["run", file("sum.ts"), "--check"]);
    expect(check).toMatchObject(failure("--check needs a notebook, and"));
    const toScript = await runSiteframe(["run", out, "--out", file("sum.ts")]);
    expect(toScript).toMatchObject(failure("is not a notebook (.ipynb)"));
  });
});
