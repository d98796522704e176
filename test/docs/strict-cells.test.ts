import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { CellLanguage } from "../../src/kernel/engine/cell/language-engine.js";
import { createLanguage } from "../../src/kernel/engine/create-language.js";
import { readNotebook } from "../../src/notebook/file/read-notebook.js";
import { testedEngine } from "../support/tested-engine.js";

const notebooks = readdirSync("notebooks").filter((name) => name.endsWith(".ipynb"));
const guides = readdirSync("docs/guide").filter((name) => name.endsWith(".md"));
const documents = ["README.md", ...guides.map((name) => join("docs/guide", name))];

let project: string;
let language: CellLanguage;

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), "siteframe-strict-"));
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true } }));
  language = await createLanguage(project, testedEngine);
});
beforeEach(() => language.reset());
afterAll(() => {
  language.close();
  rmSync(project, { recursive: true });
});

/** The first cell that a project with strict checks would not run. */
async function refusedOf(cells: readonly string[]): Promise<unknown> {
  for (const [index, code] of cells.entries()) {
    const compiled = await language.compile(code, `Cell ${index + 1}`);
    if (compiled.status === "error") return { code, error: compiled.error.evalue };
    if (/(:|\bas) any\b/.test(code)) return { code, error: "says any" };
  }
  return undefined;
}

it.each(notebooks)("%s keeps strict checks, without any", async (name) => {
  const { cells } = await readNotebook(join("notebooks", name));
  expect(await refusedOf(cells.flatMap((cell) => (cell.cell_type === "code" ? [cell.source] : [])))).toBeUndefined();
});

it.each(documents)("%s keeps strict checks, without any", async (document) => {
  const fences = readFileSync(document, "utf8").matchAll(/^```ts\n(.*?)^```/gms);
  expect(await refusedOf([...fences].map(([, code = ""]) => code))).toBeUndefined();
});
