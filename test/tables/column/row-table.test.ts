import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CellLanguage } from "../../../src/kernel/engine/cell/language-engine.js";
import { createLanguage } from "../../../src/kernel/engine/create-language.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { testedEngine } from "../../support/tested-engine.js";

const project = temporaryFolder();
let language: CellLanguage;

beforeAll(async () => {
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: { strict: true } }));
  language = await createLanguage(project, testedEngine);
  const opened = await language.compile(
    `import { fromRecords } from "siteframe";
const layer = await fromRecords({ datasets: [], layerFeatures: [] }).layer({ site_id: 12 });
const history = await layer.history();`,
    "Cell 1",
  );
  expect(opened).not.toHaveProperty("error");
});
afterAll(() => language.close());

const columns = 'history.counts("STATUS", ["2024-01-01"])';

test.each([
  `${columns}.objects().map((d) => d.count * 2)`,
  `for (const d of ${columns}) console.log(d.count.toFixed(1))`,
  `[...${columns}].map(({ date, count }) => [date, count])`,
  `${columns}.object(0).count + 1`,
  'history.durations("STATUS").objects().map((d) => d.days)',
  'history.asOf("2024-01-01").objects().filter((d) => d.STATUS === "OPEN").length',
  "layer.table.objects().map((d) => d.Title)",
  'history.aging("STATUS", { open: ["OPEN"] }).features.objects().map((d) => d.age_days)',
  "layer.table.derive({ x: (d) => 1 }).objects().map((d) => d.x)",
  'layer.table.groupby("STATUS").rollup({ n: (d) => 1 }).objects().map((d) => d.n)',
  'layer.table.join(layer.table, "id").objects().map((d) => d.Title_1)',
  `${columns}.groupby("date").pivot("value", "count").objects().map((d) => d.OPEN)`,
  "for (const d of history.changes()) console.log(d.created_at.getTime(), d.seq + 1)",
])("a cell reads rows of a table: %s", async (code) => {
  const compiled = await language.compile(code, "Cell 2");
  expect(compiled.status === "error" ? compiled.error.evalue : "ok").toBe("ok");
});

test("a cell cannot read a column that a table of known rows lacks", async () => {
  const compiled = await language.compile("history.changes().objects().map((d) => d.count)", "Cell 2");
  expect(compiled.status === "error" && compiled.error.evalue).toContain("Property 'count' does not exist");
});

test("a cell cannot misuse a column that is known", async () => {
  const compiled = await language.compile("for (const d of history.changes()) console.log(d.seq.getTime())", "Cell 2");
  expect(compiled.status === "error" && compiled.error.evalue).toContain("Property 'getTime' does not exist");
});
