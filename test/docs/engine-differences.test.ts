import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { declarations } from "../kernel/engine/battery/declarations.js";
import { errors } from "../kernel/engine/battery/errors.js";
import { imports } from "../kernel/engine/battery/imports.js";
import { loops } from "../kernel/engine/battery/loops.js";
import { questions } from "../kernel/engine/battery/questions.js";
import { results } from "../kernel/engine/battery/results.js";

/** Differences of tslab in the battery, each with the first cells that show it. */
function expectedList(): readonly string[] {
  const examples = new Map<string, string>();
  for (const [cells, , tslab] of [...declarations, ...imports, ...results, ...errors, ...loops]) {
    if (!tslab || examples.has(tslab.because)) continue;
    examples.set(tslab.because, cells.map((cell) => `\`${cell.replaceAll(/\s+/g, " ")}\``).join(", then "));
  }
  for (const [, code, , tslab] of questions) {
    if (tslab && !examples.has(tslab.because)) examples.set(tslab.because, `\`${code}\``);
  }
  return [...examples].map(
    ([because, cells]) => `- ${because.replace(/^\w/, (first) => first.toUpperCase())}: ${cells}`,
  );
}

it("the page lists the differences of tslab in the battery of cells", () => {
  const page = readFileSync("docs/how-to/papermill-and-tslab.md", "utf8");
  const [, section = ""] = /^## Limitations\n(.*?)^#/ms.exec(page) ?? [];
  expect(section.split("\n").filter((line) => line.startsWith("- "))).toEqual(expectedList());
});
