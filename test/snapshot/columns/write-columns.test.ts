import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeColumns } from "../../../src/snapshot/columns/write-columns.js";
import { temporaryFolder } from "../temporary-folder.js";
import { writeDamagedChanges } from "../write-damaged-changes.js";

const folder = temporaryFolder();
const [whole, damaged] = [join(folder, "whole.parquet"), join(folder, "damaged.parquet")];
let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  await writeDamagedChanges(whole, damaged);
  instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  connection = await instance.connect();
});

afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

describe("the columns of a Parquet file", () => {
  it.each(["members", "records", "changes"] as const)("are written of all rows or not at all: %s", async (what) => {
    const root = join(folder, what);
    mkdirSync(root);
    await writeColumns(connection, whole, root, "whole.columns", what);
    await expect(writeColumns(connection, damaged, root, "damaged.columns", what)).rejects.toThrow(/damaged\.parquet/);
    expect(readdirSync(root)).toEqual(["whole.columns"]);
  });
});
