import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LazyHistory, openSnapshot, type Snapshot } from "../../../../../src/index.js";
import { temporaryFolder } from "../../../../snapshot/temporary-folder.js";
import { writeSmallCompany } from "../../../../support/small-company.js";
import { typicalStatements } from "../../../../support/typical-statements.js";

const UPDATE = "npx vitest run test/history/questions/sql/dialect/stored-sql.test.ts -u";

/** The full tests execute these statements; here their text must not change unnoticed. */
describe("the printed SQL of every question", () => {
  const folder = temporaryFolder();
  let snapshot: Snapshot;
  let questions: LazyHistory;
  beforeAll(async () => {
    await writeSmallCompany(folder);
    snapshot = await openSnapshot(folder);
    questions = await snapshot.lazyHistory({ site_id: 12 }, { timeZone: "Europe/Berlin" });
  });
  afterAll(async () => {
    await questions.close();
    await snapshot.close();
  });

  it.each(["trino", "spark"] as const)("equals the stored file for %s", async (dialect) => {
    const statements = await typicalStatements(questions, { column: "STATUS", numeric: "Depth" }, dialect);
    const text = [...statements].map(([call, sql]) => `-- ${call}\n${sql};\n`).join("\n");
    await expect(text, `If the change is intended: ${UPDATE}`).toMatchFileSnapshot(`${dialect}.sql`);
  });
});
