import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WorkTables } from "../../../src/snapshot/pull/work-tables.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = join(temporaryFolder(), "pull");
const ROWS = 200_000;
let tables: WorkTables;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  tables = await WorkTables.open(folder);
});

afterAll(() => tables.close());

const failing = (value: string) =>
  `SELECT CASE WHEN i = 150000 THEN error('no more') ELSE ${value} END AS v FROM range(${ROWS}) t(i)`;

describe("the tables of a pull", () => {
  it("give every row, in order", async () => {
    const sorted = Array.from({ length: ROWS }, (_, i) => i);
    expect(await tables.numbers(`SELECT i AS v FROM range(${ROWS}) t(i) ORDER BY hash(i)`)).not.toEqual(sorted);
    expect(await tables.numbers(`SELECT v FROM (SELECT i AS v FROM range(${ROWS}) t(i) ORDER BY hash(i)) ORDER BY v`)).toEqual(sorted); // biome-ignore format: short
    expect(await tables.numbers("SELECT 1 AS v WHERE false")).toEqual([]);
  });

  it("fail where DuckDB would end a result early", async () => {
    await expect(tables.numbers(failing("i"))).rejects.toThrow("no more");
    expect(await tables.numbers("SELECT 7 AS v")).toEqual([7]);
  });
});
