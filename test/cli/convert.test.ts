import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runSiteframe } from "./run-siteframe.js";

const folder = mkdtempSync(join(tmpdir(), "siteframe-convert-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
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
  it("writes a script, and takes what was changed in it back into the notebook", async () => {
    writeFileSync(file("sums.ipynb"), JSON.stringify(notebook));
    const there = await convert("sums.ipynb", "new/sums.ts");
    expect(there).toMatchObject({ code: 0, stderr: expect.stringContaining("1 cell with pictures attached") });
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

  it("is of a notebook and a script", async () => {
    for (const [from, to] of [
      ["a.ts", "b.ts"],
      ["a.ipynb", "b.ipynb"],
      ["a.ipynb", "b.py"],
    ] as const) {
      const { code, stderr } = await convert(from, to);
      expect(code).toBe(1);
      expect(stderr).toContain("siteframe convert takes a notebook and a script");
    }
    expect((await convert("no.ipynb", "no.ts")).stderr).toContain("no.ipynb does not exist");
  });

  it("has scripts that run, and are no place for outputs", async () => {
    writeFileSync(file("sum.ts"), "// %%\nlet n = 2;\n\n// %%\nn + 1\n");
    const out = file("sum.ipynb");
    expect(await runSiteframe(["run", file("sum.ts"), "--out", out])).toMatchObject({ code: 0 });
    expect(readFileSync(out, "utf8")).toContain('"3"');
    const checked = await runSiteframe(["run", file("sum.ts"), "--check"]);
    expect(checked).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is a script, which stores no outputs to check"),
    });
    const wrong = await runSiteframe(["run", out, "--out", file("sum.ts")]);
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the executed notebook goes to a notebook"),
    });
  });
});
