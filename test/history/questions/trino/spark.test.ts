import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sparkDialect } from "../../../../src/history/questions/sql/dialect/spark-dialect.js";
import { openSnapshot, pinGeneration } from "../../../../src/index.js";
import { declareTables } from "../../../../src/snapshot/ddl/declare-tables.js";
import { readManifest } from "../../../../src/snapshot/folder/manifest-file.js";
import { writeSnapshot } from "../../../../src/snapshot/write/write-snapshot.js";
import { feature } from "../../../snapshot/feature.js";
import { temporaryFolder } from "../../../snapshot/temporary-folder.js";
import { type AskedCompany, askedCompanies, drawOf, writeCompany } from "../../../support/asked-company.js";
import { oddTexts } from "../../../support/odd-texts.js";
import { findPython } from "../../../support/python.js";
import { awaited, expectEngineAgreement } from "../../../support/question-agreement.js";
import { randomRuns, seed } from "../../../support/random-runs.js";
import { expectSameDatedTexts, writeNameTraps } from "../../../support/same-dated-texts.js";
import { SparkCluster } from "../../../support/spark-cluster.js";

/** Each takes a minute. */
const numRuns = randomRuns(10, 2);

const python = findPython("pyspark");

describe.skipIf(!python)("questions that Spark answers", () => {
  const folder = temporaryFolder();
  let cluster: SparkCluster;
  beforeAll(async () => {
    if (python) cluster = await SparkCluster.start(python);
  });
  afterAll(() => cluster?.stop());

  async function declare(snapshot: string): Promise<void> {
    const schema = basename(snapshot);
    const options = { location: pathToFileURL((await pinGeneration(snapshot)).path).href, schema, catalog: "" };
    const statements = declareTables(await readManifest(snapshot), "spark", options);
    for (const statement of [...statements, `USE \`${schema}\``]) await cluster.rows(statement);
  }

  it("keep every string", async () => {
    const list = oddTexts.map((text) => sparkDialect.text(text)).join(", ");
    expect((await cluster.rows(`SELECT ${list}`)).rows).toEqual([oddTexts]);
  });

  it("have geometries as well-known binary, and their boxes", async () => {
    const path = join(folder, "shapes_snapshot");
    await writeSnapshot(path, { layerFeatures: [feature(1, {}), { ...feature(2, {}), geometry: null as never }] });
    await declare(path);
    const found = await cluster.rows("SELECT id, hex(geometry), bbox.xmin, bbox.ymax FROM layer_features ORDER BY id");
    expect(found.rows).toEqual([
      [1, "01010000000000000000002140CDCCCCCCCC8C4740", 8.5, 47.1],
      [2, null, null, null],
    ]);
  });

  let count = 0;
  async function ask(company: AskedCompany, gen: fc.GeneratorValue): Promise<void> {
    const path = join(folder, `company_${++count}`);
    await writeCompany(path, company);
    await declare(path);
    const snapshot = await openSnapshot(path);
    try {
      const history = await snapshot.history(company.params, company.options);
      const questions = await snapshot.lazyHistory(company.params, { ...company.options, engine: cluster.engine() });
      await expectEngineAgreement(history, questions, drawOf(gen), { awaited });
    } finally {
      await snapshot.close();
    }
  }

  it("have SQL with the results of DuckDB, for any property names", async () => {
    const path = join(folder, "names_snapshot");
    await writeNameTraps(path);
    await declare(path);
    await expectSameDatedTexts(path, cluster.engine());
  });

  it("equal a history, for random companies", { timeout: 300_000 * numRuns }, async () => {
    await fc.assert(fc.asyncProperty(askedCompanies, fc.gen(), ask), {
      numRuns,
      seed,
      interruptAfterTimeLimit: 250_000 * numRuns,
      markInterruptAsFailure: true,
      endOnFailure: true,
    });
  });
});
