import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { codeBlocks } from "../../scripts/reference/code-blocks.mjs";
import type { CellLanguage } from "../../src/kernel/engine/cell/language-engine.js";
import { createLanguage } from "../../src/kernel/engine/create-language.js";
import { readNotebook } from "../../src/notebook/file/notebook-file.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { testedEngine } from "../support/tested-engine.js";
import { documents } from "./documents.js";

const notebooks = readdirSync("notebooks").filter((name) => name.endsWith(".ipynb"));

const project = temporaryFolder();
let language: CellLanguage;

beforeAll(async () => {
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true } }));
  language = await createLanguage(project, testedEngine);
});
beforeEach(() => language.reset());
afterAll(() => language.close());

/** The first cell that fails with strict checks. */
async function refusedOf(cells: readonly string[]): Promise<unknown> {
  for (const [index, code] of cells.entries()) {
    const compiled = await language.compile(code, `Cell ${index + 1}`);
    if (compiled.status === "error") return { code, error: compiled.error.evalue };
    if (/(:|\bas) any\b/.test(code)) return { code, error: "contains any" };
  }
  return undefined;
}

it.each(notebooks)("%s keeps strict checks, without any", async (name) => {
  const { cells } = await readNotebook(join("notebooks", name));
  expect(await refusedOf(cells.flatMap((cell) => (cell.cell_type === "code" ? [cell.source] : [])))).toBeUndefined();
});

it.each(documents)("%s keeps strict checks, without any", async (document) => {
  expect(await refusedOf(codeBlocks(readFileSync(document, "utf8")).map(({ code }) => code))).toBeUndefined();
});
