import { afterAll, beforeAll, expect, test } from "vitest";
import { CellCompiler } from "../../../../src/kernel/engine/tslab/cell-compiler.js";
import { temporaryFolder } from "../../../snapshot/temporary-folder.js";

const directory = temporaryFolder();
let compiler: CellCompiler;

beforeAll(async () => {
  compiler = new CellCompiler(directory);
});
afterAll(() => {
  compiler.close();
});

function errorOf(code: string): string | undefined {
  const compilation = compiler.compile(code, "Cell");
  return compilation.status === "error" ? compilation.error.evalue : undefined;
}

const makers = `const sites = aq.table({ site: ["a"] });
const arquero = aq;
const figure = Plot.plot({});
const mark = Plot.dot([]);
const source = connect({ baseUrl: "https://example.com", apiKey: "key" });
const opened = openSnapshot("folder");
const made = { rows: () => sites.groupby("site") };`;

const misspelt: readonly (readonly [string, string])[] = [
  ["sites.filtre()", "ColumnTable"],
  ["arquero.tabel({})", 'typeof import\\("arquero"\\)'],
  ["arquero.table({}).filtre()", "ColumnTable"],
  ["made.rows().kount()", "ColumnTable"],
  ["sites.numRows().toFixt()", "number"],
  ["mark.plott()", "Dot"],
  ["figure.outterHTML", "Figure"],
  ["source.sitez()", "Source"],
  ["(await opened).sitez()", "Snapshot"],
];

test("what preloaded names make has types in later cells, though the folder has no packages", () => {
  expect(errorOf(makers)).toBeUndefined();
  for (const [code, type] of misspelt)
    expect(errorOf(code), code).toMatch(new RegExp(`Property '.*' does not exist .*${type}`));
  expect(errorOf("const next = made.rows().count();")).toBeUndefined();
  expect(errorOf("next.filtre()")).toContain("'ColumnTable'");
  expect(compiler.complete("sites.numR", 10).matches).toContain("numRows");
});

test("they are shown by their own names", () => {
  expect(compiler.inspect("sites", 2)?.signature).toBe("const sites: ColumnTable");
  expect(compiler.inspect("aq", 1)?.signature).toBe('const aq: typeof import("arquero")');
  expect(compiler.inspect("Plot", 1)?.signature).toContain('Omit<typeof import("@observablehq/plot"), "plot">');
  expect(errorOf("class ColumnTable { own = 1 }; const mine: ColumnTable = sites;")).toContain(
    "'import(\"arquero\").ColumnTable'",
  );
});
