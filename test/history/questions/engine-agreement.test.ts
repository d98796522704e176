import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { specifications } from "../../../src/history/questions/define/question-methods.js";
import { openSnapshot } from "../../../src/index.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { type AskedCompany, busyCompanies, companySource, drawOf, writeCompany } from "../../support/asked-company.js";
import { openAsked } from "../../support/open-asked.js";
import { openPlainDuckDB } from "../../support/plain-duckdb.js";
import {
  awaited,
  expectEngineAgreement,
  expectHistoryAgreement,
  printed,
  stored,
} from "../../support/question-agreement.js";
import { randomRuns, seeds } from "../../support/random-runs.js";

const numRuns = randomRuns(20, 4);

const folder = temporaryFolder();
let paths = 0;
const withRows = new Set<string>();
const newPath = (name: string) => join(folder, `${++paths}-${name}`);

describe("every question about a random company", () => {
  it.each(seeds)("has equal answers in memory and in DuckDB, seed %d", { timeout: 300_000 * numRuns }, async (seed) => {
    let refused = 0;
    const agree = async (company: AskedCompany, gen: fc.GeneratorValue) => {
      if (!(await expectAgreement(company, gen))) refused += 1;
    };
    await fc.assert(fc.asyncProperty(busyCompanies, fc.gen(), agree), { numRuns, seed, endOnFailure: true });
    expect(refused).toBeLessThan(numRuns);
  });

  it.skipIf(seeds.length === 1)("has an answer with rows at least once", () => {
    expect([...specifications.keys()].filter((name) => !withRows.has(name))).toEqual([]);
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
    const inMemory = await companySource(company).history(params, options);
    const present = await snapshot.history(params, { ...options, gone: "exclude" });
    for (const name of await expectHistoryAgreement(inMemory, present, drawOf(gen))) withRows.add(name);
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
