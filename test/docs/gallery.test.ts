import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseNotebook } from "../../src/notebook/file/read-notebook.js";
import * as siteframePlot from "../../src/plot/index.js";

/** Functions of `siteframe/plot` that draw nothing of their own. */
const others = ["toPNG", "readGround", "MapGround"];

test("the gallery draws every figure that there is, below a heading of its name", () => {
  const { cells } = parseNotebook(readFileSync("docs/gallery.ipynb", "utf8"));
  const figures = Object.entries(siteframePlot)
    .filter(([name, value]) => typeof value === "function" && !others.includes(name))
    .map(([name]) => name);
  expect(figures.length).toBeGreaterThan(20);
  const drawn = cells.flatMap((cell, index) => {
    const before = cells[index - 1];
    const [, name] = /^### (\w+)\n/.exec(before?.source ?? "") ?? [];
    const draws = cell.cell_type === "code" && name !== undefined && new RegExp(`^${name}\\(`, "m").test(cell.source);
    return draws ? [name] : [];
  });
  expect(figures.filter((name) => !drawn.includes(name))).toEqual([]);
});
