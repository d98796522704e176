import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSnapshot } from "../../../src/index.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { type AskedCompany, askedCompanies, companySource, drawOf, writeCompany } from "../../support/asked-company.js";
import { openAsked } from "../../support/open-asked.js";
import { openPlainDuckDB } from "../../support/plain-duckdb.js";
import {
  awaited,
  expectEngineAgreement,
  expectHistoryAgreement,
  printed,
  stored,
} from "../../support/question-agreement.js";

const { SITEFRAME_TEST_SEED, SITEFRAME_TEST_RUNS = "1" } = process.env;
const seeds = SITEFRAME_TEST_SEED === undefined ? [1, 2, 3] : [Number(SITEFRAME_TEST_SEED)];
const numRuns = 6 * Number(SITEFRAME_TEST_RUNS);

const folder = temporaryFolder();
let paths = 0;
const newPath = (name: string) => join(folder, `${++paths}-${name}`);

describe("every question about a random company", () => {
  it.each(seeds)("has equal answers in memory and in DuckDB, seed %d", { timeout: 60_000 * numRuns }, async (seed) => {
    let refused = 0;
    const agree = async (company: AskedCompany, gen: fc.GeneratorValue) => {
      if (!(await expectAgreement(company, gen))) refused += 1;
    };
    await fc.assert(fc.asyncProperty(askedCompanies, fc.gen(), agree), { numRuns, seed, endOnFailure: true });
    expect(refused).toBeLessThanOrEqual(numRuns / 3);
  });
});

/** Whether an engine answers questions about the company. */
async function expectAgreement(company: AskedCompany, gen: fc.GeneratorValue): Promise<boolean> {
  const { params, options } = company;
  const path = newPath("company");
  await writeCompany(path, company);
  const snapshot = await openSnapshot(path);
  const plain = await openPlainDuckDB(path);
  const history = await snapshot.history(params, options);
  const questions = await openAsked(snapshot, params, options);
  try {
    await expectHistoryAgreement(await companySource(company).history(params, options), history, drawOf(gen));
    if (!questions) return false;
    await expectEngineAgreement(history, questions, drawOf(gen), {
      awaited,
      stored: stored(() => newPath("answer.parquet"), plain.rows),
      printed: printed(plain.rows),
    });
    return true;
  } finally {
    await questions?.close();
    plain.close();
    await snapshot.close();
  }
}
