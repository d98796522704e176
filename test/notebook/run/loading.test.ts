import { readdirSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Notebook } from "../../../src/notebook/file/notebook.js";
import { type SampleService, startSampleService } from "../../support/sample-service.js";
import { code, notebookOf } from "../cells.js";
import { dataOf, outputsOf, repository, runNotebook, temporaryProject } from "./run-cells.js";

/** How often each notebook runs. Some races show only in many runs: `.ci/full loading`. */
const wanted = Number(process.env["SITEFRAME_TEST_RUNS"] ?? 0);
const runs = wanted || 1;

const table = 'const t = aq.table({ a: ["x", "y"], n: [1, 2] });';
const chart = 'Plot.barY(t, { x: "a", y: "n" }).plot();\nt.numRows()';
const isSame = (name: string) => `${name} === (await import("arquero"))`;

const files: Readonly<Record<string, string>> = {
  "rows.mjs": 'import { table } from "arquero";\nexport const rows = table({ a: ["x", "y"], n: [1, 2] });',
  "later.mjs": 'export const late = import("siteframe/plot");',
  "rows.cjs": 'exports.rows = require("arquero").table({ a: ["x", "y"], n: [1, 2] });',
  "rows.ts": 'import * as arquero from "arquero";\nexport const rows = arquero.table({ a: ["x", "y"], n: [1, 2] });',
};

/** Cells, and the output of the last one. */
const notebooks: Readonly<Record<string, readonly [cells: readonly string[], shown: string]>> = {
  "ready-made names, one after the other": [[table, chart], "2"],
  "ready-made names after cells that need none": [["const one = 1;", "one + 1", table, chart], "2"],
  "an import of the cells' own before a ready-made name": [
    ['import * as mine from "arquero";\nconst t = mine.table({ a: ["x", "y"], n: [1, 2] });', chart, isSame("mine")],
    "true",
  ],
  "an import without await": [
    ['const late = import("siteframe/plot");', table, chart, "(await late).Plot === Plot && typeof (await late).plot"],
    "'function'",
  ],
  "an import by a timer": [
    [
      'const late = new Promise((done) => setTimeout(() => done(import("siteframe")), 1));',
      table,
      chart,
      "connect === (await late as { connect: unknown }).connect",
    ],
    "true",
  ],
  "imports at once": [
    [
      'const [a, b, c] = await Promise.all([import("siteframe/plot"), import("siteframe"), import("arquero")]);',
      table,
      chart,
    ],
    "2",
  ],
  "require before a ready-made name": [
    [
      'const mine = require("arquero");\nconst t = mine.table({ a: ["x", "y"], n: [1, 2] });',
      chart,
      "mine.table === aq.table",
    ],
    "true",
  ],
  "require of Siteframe while it loads what it needs": [
    ['const { openSnapshot: open } = require("siteframe");', "typeof connect", table, chart, "open === openSnapshot"],
    "true",
  ],
  "files that import and require packages": [
    [
      'import { rows } from "./rows.mjs";\nconst t = rows;',
      chart,
      'import { rows as others } from "./rows.cjs";\nothers.numRows()',
      'import { rows as typed } from "./rows.ts";\ntyped.numRows() + others.numRows()',
    ],
    "4",
  ],
  "a file that imports a package in the background": [
    ['import { late } from "./later.mjs";', table, chart, "(await late).Plot === Plot"],
    "true",
  ],
  "a package of the notebook's own that needs Siteframe": [
    ['import { late } from "needy";', table, chart, "(await late).Plot === Plot"],
    "true",
  ],
};

const project = temporaryProject();
const load: Worker[] = [];

beforeAll(async () => {
  await mkdir(join(project, "node_modules", "needy"), { recursive: true });
  await symlink(join(repository, "node_modules", "arquero"), join(project, "node_modules", "arquero"));
  const manifest = '{ "name": "needy", "type": "module", "main": "index.js" }';
  await writeFile(join(project, "node_modules", "needy", "package.json"), manifest);
  await writeFile(join(project, "node_modules", "needy", "index.js"), `import "siteframe";\n${files["later.mjs"]}`);
  for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text);
  for (let at = 0; at < 2; at++) load.push(new Worker("for (;;);", { eval: true }));
});

afterAll(() => Promise.all(load.map((worker) => worker.terminate())));

const lastShown = (notebook: Notebook) => dataOf(outputsOf(notebook).at(-1)?.at(-1))["text/plain"];

const limit = { timeout: 180_000 + runs * 20_000 };

describe("packages of cells load, on busy cores, each time:", () => {
  test.for(Object.entries(notebooks))("%s", limit, async ([, [cells, shown]]) => {
    const notebook = notebookOf(...cells.map((source) => code(source)));
    for (let run = 0; run < runs; run++) {
      expect(lastShown(await runNotebook(notebook, { cwd: project }))).toBe(shown);
    }
  });
});

const examples = readdirSync(join(repository, "notebooks")).filter((name) => name.endsWith(".ipynb"));

// Another test runs each of them once.
if (wanted > 0) {
  describe("the notebooks of the repository run on busy cores, each time:", () => {
    let service: SampleService;
    beforeAll(async () => {
      service = await startSampleService(3000);
    });
    afterAll(() => service.close());

    test.for(examples)("%s", limit, async (name) => {
      const env = { SITEFRAME_BASE_URL: service.url, SITEFRAME_API_KEY: service.apiKey };
      for (let run = 0; run < runs; run++) {
        const { cells } = await runNotebook(join(repository, "notebooks", name), { env });
        expect(cells.filter((cell) => cell.cell_type === "code" && cell.execution_count === null)).toEqual([]);
      }
    });
  });
}
