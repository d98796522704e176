import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { schemaOf } from "../../../src/snapshot/format/table-schema.js";
import { loadRecords } from "../../../src/snapshot/pull/present-format.js";
import { WorkTables } from "../../../src/snapshot/pull/work-tables.js";
import { temporaryFolder } from "../temporary-folder.js";
import { writeDamagedChanges } from "../write-damaged-changes.js";

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

async function textsOf(sql: string): Promise<string[]> {
  const found: string[] = [];
  for await (const texts of tables.texts(sql)) for (const text of texts) found.push(text);
  return found;
}

describe("the tables of a pull", () => {
  it("give every row, in order", async () => {
    const sorted = Array.from({ length: ROWS }, (_, i) => i);
    expect(await tables.numbers(`SELECT i AS v FROM range(${ROWS}) t(i) ORDER BY hash(i)`)).not.toEqual(sorted);
    expect(await tables.numbers(`SELECT v FROM (SELECT i AS v FROM range(${ROWS}) t(i) ORDER BY hash(i)) ORDER BY v`)).toEqual(sorted); // biome-ignore format: short
    expect(await textsOf(`SELECT 'n' || i FROM range(${ROWS}) t(i)`)).toEqual(sorted.map((n) => `n${n}`));
    expect(await tables.numbers("SELECT 1 AS v WHERE false")).toEqual([]);
    expect(await textsOf("SELECT NULL AS v")).toEqual(["null"]);
  });

  it("fail where DuckDB would end a result early", async () => {
    await expect(tables.numbers(failing("i"))).rejects.toThrow("no more");
    await expect(textsOf(failing("''"))).rejects.toThrow("no more");
    expect(await tables.numbers("SELECT 7 AS v")).toEqual([7]);
  });

  it("are not filled with some records of a file only", async () => {
    const schema = schemaOf("propertyChanges");
    const [whole, damaged] = [join(folder, "whole.parquet"), join(folder, "damaged.parquet")];
    await writeDamagedChanges(whole, damaged);
    await tables.create(schema);
    await loadRecords(tables, schema, [whole], "true");
    expect(await tables.rows(`SELECT count(*)::INTEGER, count(DISTINCT id)::INTEGER FROM ${schema.name}`)).toEqual([
      [100_000, 100_000],
    ]);
    await tables.create(schema);
    await expect(loadRecords(tables, schema, [damaged], "true")).rejects.toThrow(/damaged\.parquet/);
  });
});
