import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { WorkTables } from "../../../src/snapshot/pull/work-tables.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = join(temporaryFolder(), "pull");
let tables: WorkTables;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  tables = await WorkTables.open(folder);
});

afterAll(() => tables.close());

it("the tables of a pull report an error after the first rows of a result", async () => {
  const failing = `SELECT CASE WHEN i = 150000 THEN error('no more') ELSE i END AS v FROM range(200000) t(i)`;
  await expect(tables.numbers(failing)).rejects.toThrow("no more");
  expect(await tables.numbers("SELECT i AS v FROM range(200000) t(i)")).toHaveLength(200_000);
});
