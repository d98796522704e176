import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Cell } from "../../../src/notebook/file/notebook.js";
import { readNotebook } from "../../../src/notebook/file/notebook-file.js";
import { parsePercentScript, toPercentScript } from "../../../src/notebook/file/percent-script.js";
import { findPython } from "../../support/python.js";

const python = findPython("jupytext");
const notebooks = join(import.meta.dirname, "../../../notebooks");

const program = `import json, sys, jupytext
scripts = json.load(sys.stdin)
def cells(script):
    book = jupytext.reads(script, "ts:percent")
    return [[cell.cell_type, cell.source, dict(cell.metadata)] for cell in book.cells]
def again(script):
    return jupytext.writes(jupytext.reads(script, "ts:percent"), "ts:percent")
json.dump([[cells(script), again(script)] for script in scripts], sys.stdout)`;

const partsOf = (cells: readonly Cell[]) =>
  cells.map(({ cell_type, source, metadata, id }) => [
    cell_type,
    source,
    { ...metadata, ...(id === undefined ? {} : { id }) },
  ]);

describe.runIf(python)("a script of Siteframe", () => {
  test("has the same cells in jupytext, in both directions", async () => {
    const names = readdirSync(notebooks).filter((name) => name.endsWith(".ipynb"));
    const books = await Promise.all(names.map((name) => readNotebook(join(notebooks, name))));
    const scripts = books.map(toPercentScript);
    const input = JSON.stringify(scripts);
    const answer = execFileSync(python?.program ?? "", ["-c", program], { input, encoding: "utf8", maxBuffer: 1e8 });
    const read = JSON.parse(answer) as readonly (readonly [cells: unknown, again: string])[];
    expect(read).toHaveLength(9);
    for (const [index, { cells }] of books.entries()) {
      const [theirs, again = ""] = read[index] ?? [];
      expect(theirs).toEqual(partsOf(cells));
      expect(partsOf(parsePercentScript(again).cells)).toEqual(partsOf(cells));
    }
  });
});
