import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { notebookText } from "../support/notebook-text.js";
import { findPython } from "../support/python.js";

const python = findPython("papermill");
const translator = join(import.meta.dirname, "../../assets/papermill/siteframe_papermill.py");

describe.runIf(python)("papermill with the translator for TypeScript", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "siteframe-papermill-"));
    const notebook = JSON.parse(
      notebookText([
        { source: 'let site = 101; // of the report\nlet names: string[] = ["a"];\nlet since: string | null = null;' },
        { source: "console.log(JSON.stringify({ site, names, since }))" },
      ]),
    );
    notebook.cells[0].metadata = { tags: ["parameters"] };
    writeFileSync(join(folder, "in.ipynb"), JSON.stringify(notebook));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const papermill = (...args: readonly string[]) =>
    spawnSync(python?.program ?? "", [translator, ...args], { cwd: folder, env: python?.env, encoding: "utf8" });

  test("runs a notebook with other parameters", () => {
    const given = ["-p", "site", "7", "-y", 'names: ["Müller", "it\'s \\"x\\""]\nsince: null'];
    const { status, stderr } = papermill("in.ipynb", "out.ipynb", ...given);
    expect(status, stderr).toBe(0);
    expect(stderr).not.toContain("unknown");
    const { cells } = JSON.parse(readFileSync(join(folder, "out.ipynb"), "utf8"));
    const injected = cells.find(({ metadata }: { metadata: { tags?: string[] } }) =>
      metadata.tags?.includes("injected-parameters"),
    );
    expect([injected.source].flat().join("")).toContain("let site = 7;");
    const printed = [cells.at(-1).outputs[0].text].flat().join("");
    expect(JSON.parse(printed)).toEqual({ site: 7, names: ["Müller", 'it\'s "x"'], since: null });
  });

  test("lists the parameters of a notebook", () => {
    const { stdout } = papermill("--help-notebook", "in.ipynb");
    expect(stdout).toMatch(/site: Unknown type \(default 101\)\s+of the report/);
    expect(stdout).toContain('names: string[] (default ["a"])');
  });
});
