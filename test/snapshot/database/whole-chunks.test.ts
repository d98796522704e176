import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, it } from "vitest";
import { wholeChunks } from "../../../src/snapshot/database/whole-chunks.js";

/** More than two chunks of DuckDB. */
const sql = "SELECT range AS n FROM range(6000)";
let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  connection = await instance.connect();
});
afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

async function read(given: number) {
  const chunks: unknown[][] = [];
  for await (const chunk of wholeChunks(connection, sql, { given })) chunks.push(chunk.getColumnValues(0));
  return chunks;
}

it("continues after the rows that were returned before", async () => {
  const chunks = await read(0);
  expect(chunks.flat()).toHaveLength(6000);
  const [first = [], ...others] = chunks;
  expect(others.length).toBeGreaterThan(1);
  expect(await read(first.length)).toEqual(others);
  expect(await read(6000)).toEqual([]);
  await expect(read(first.length - 1)).rejects.toThrow("a different incomplete result");
});
