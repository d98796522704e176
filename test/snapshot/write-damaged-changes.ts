import { readFileSync, writeFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
import { sqlText } from "../../src/tables/sql/sql-text.js";
import { change } from "../support/records.js";

/** DuckDB reads many rows ahead for a stream: the damage must come after them, so that rows were returned before. */
const ROWS = 100_000;
const NUMBER = "00009999";

/** Writes the records of changes as a Parquet file, and once more with last row groups that cannot be read. */
export async function writeDamagedChanges(whole: string, damaged: string): Promise<void> {
  const like = JSON.stringify(change(0x9999, { new_value: "x".repeat(200) }));
  const record = `replace(${sqlText(like)}, '${NUMBER}', printf('%08d', i))`;
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  await connection.run(
    `COPY (SELECT ${record} AS record FROM range(${ROWS}) t(i)) TO ${sqlText(whole)} (FORMAT parquet, ROW_GROUP_SIZE 2048)`,
  );
  connection.closeSync();
  instance.closeSync();
  const bytes = readFileSync(whole);
  // The footer with the offsets stays whole.
  const end = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  writeFileSync(damaged, bytes.fill(0xff, Math.floor(end * 0.9), end));
}
