import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, it } from "vitest";
import { type Engine, openSnapshot } from "../../../../src/index.js";
import { type AskedCompany, askedCompanies, drawOf, writeCompany } from "../../../support/asked-company.js";
import { drawOfSample, writeSample, zones } from "../../../support/asked-sample.js";
import { declareTables } from "../../../support/declare-tables.js";
import { awaited, expectEngineAgreement } from "../../../support/question-agreement.js";
import { randomRuns, seed } from "../../../support/random-runs.js";
import { expectSameDatedTexts, writeNameTraps } from "../../../support/same-dated-texts.js";
import { clusterFolder, hasTrino, type TrinoCluster, trinoCluster } from "../../../support/trino-cluster.js";

/** Each takes a dozen seconds. */
const numRuns = randomRuns(20, 4);

describe.skipIf(!hasTrino())("questions that Trino answers", () => {
  let cluster: TrinoCluster;
  let folder: string;
  beforeAll(async () => {
    cluster = await trinoCluster();
    folder = clusterFolder(cluster);
  });

  describe("of the sample company", () => {
    let path: string;
    let engine: Engine;
    beforeAll(async () => {
      path = join(folder, "sample.snapshot");
      await writeSample(path);
      engine = await declareTables(cluster, path);
    });
    afterAll(() => engine?.close());

    const scopes = [{ semantic_type: "PUNCH_LIST_ITEMS" }, { semantic_type: "TRENCHES" }, { site_id: 102 }];
    const cases = zones.map((timeZone, n) => [scopes[n] ?? {}, timeZone] as const);
    it.each(cases)("%j in %s equal a history", async (params, timeZone) => {
      const snapshot = await openSnapshot(path);
      const history = await snapshot.history(params, { timeZone });
      const questions = await snapshot.lazyHistory(params, { timeZone, engine });
      try {
        const ask = (gen: fc.GeneratorValue) =>
          expectEngineAgreement(history, questions, drawOfSample(gen, history.columns), { awaited });
        await fc.assert(fc.asyncProperty(fc.gen(), ask), { numRuns: 1, seed, endOnFailure: true });
      } finally {
        await snapshot.close();
      }
    });
  });

  let count = 0;
  async function ask(company: AskedCompany, gen: fc.GeneratorValue): Promise<void> {
    const path = join(folder, `company-${++count}`);
    await writeCompany(path, company);
    const engine = await declareTables(cluster, path);
    const snapshot = await openSnapshot(path);
    const history = await snapshot.history(company.params, company.options);
    const questions = await snapshot.lazyHistory(company.params, { ...company.options, engine });
    try {
      await expectEngineAgreement(history, questions, drawOf(gen), { awaited });
    } finally {
      await engine.close();
      await snapshot.close();
    }
  }

  it("have SQL with the results of DuckDB, for any property names", async () => {
    const path = join(folder, "names.snapshot");
    await writeNameTraps(path);
    const engine = await declareTables(cluster, path);
    await expectSameDatedTexts(path, engine);
    await engine.close();
  });

  it("equal a history, for random companies", { timeout: 180_000 * numRuns }, async () => {
    await fc.assert(fc.asyncProperty(askedCompanies, fc.gen(), ask), { numRuns, seed });
  });
});
