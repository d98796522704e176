import { join } from "node:path";
import fc from "fast-check";
import { describe, it } from "vitest";
import { openSnapshot } from "../../../src/index.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { askedCompanies, drawOf, writeCompany } from "../../support/asked-company.js";
import { expectSameStored } from "../../support/same-stored.js";

const folder = temporaryFolder();
let count = 0;
const newPath = (name: string) => join(folder, `${++count}-${name}`);

describe("stored answers", () => {
  it("have the rows of a history, whatever the company", { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(askedCompanies, fc.gen(), async (company, gen) => {
        const path = newPath("company");
        await writeCompany(path, company);
        const snapshot = await openSnapshot(path);
        const history = await snapshot.history(company.params, company.options);
        const questions = await snapshot.questions(company.params, company.options);
        try {
          if (history.columns.length === 0) return;
          await expectSameStored(history, questions, drawOf(gen), () => newPath("answer.parquet"));
        } finally {
          await questions.close();
          await snapshot.close();
        }
      }),
      { numRuns: Number(process.env["RUNS"] ?? 12), seed: Number(process.env["SEED"] ?? 1) },
    );
  });
});
