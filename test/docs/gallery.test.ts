import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseNotebook } from "../../src/notebook/file/notebook-file.js";
import * as siteframePlot from "../../src/plot/index.js";

/** Functions of `siteframe/plot` that do not draw a figure. */
const others = ["toPNG", "loadBasemap", "MapBasemap", "reportHeader", "reportLanguage"];

test("the gallery draws every figure below a heading with its name", () => {
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
