import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSnapshot } from "../../../src/index.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { type AskedCompany, askedCompanies, drawOf, writeCompany } from "../../support/asked-company.js";
import { openAsked } from "../../support/open-asked.js";
import { expectSameAnswers } from "../../support/same-questions.js";

const folder = temporaryFolder();
let count = 0;
let refused = 0;

async function ask(company: AskedCompany, gen: fc.GeneratorValue): Promise<void> {
  const path = join(folder, `company-${++count}`);
  await writeCompany(path, company);
  const snapshot = await openSnapshot(path);
  const history = await snapshot.history(company.params, company.options);
  const questions = await openAsked(snapshot, company.params, company.options);
  try {
    if (questions) await expectSameAnswers(history, questions, drawOf(gen));
    else refused += 1;
  } finally {
    await questions?.close();
    await snapshot.close();
  }
}

describe("questions that DuckDB answers", () => {
  it("are answered as by a history, whatever the company", { timeout: 300_000 }, async () => {
    const { RUNS = "25", SEED = "1" } = process.env;
    await fc.assert(fc.asyncProperty(askedCompanies, fc.gen(), ask), { numRuns: Number(RUNS), seed: Number(SEED) });
    expect(refused).toBeLessThan(count / 5);
  });
});
