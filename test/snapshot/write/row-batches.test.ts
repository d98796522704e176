import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { schemaOf } from "../../../src/snapshot/format/table-schema.js";
import { rowBatches } from "../../../src/snapshot/write/write-part.js";

const schema = { ...schemaOf("layerFeatures"), partRows: 50_000 };
const source = { table: "rows", condition: "true", recordBytes: "1" };
let instance: DuckDBInstance;
let connection: DuckDBConnection;

beforeAll(async () => {
  instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  connection = await instance.connect();
  await connection.run("CREATE TABLE rows AS SELECT i AS id FROM range(200000) t(i)");
});

afterAll(() => {
  connection.closeSync();
  instance.closeSync();
});

describe("batches of rows", () => {
  it("have about equal sizes", async () => {
    expect(await rowBatches(connection, schema, source)).toEqual([
      "true AND id <= 49999",
      "true AND id > 49999 AND id <= 99999",
      "true AND id > 99999 AND id <= 149999",
      "true AND id > 149999",
    ]);
  });

  it("cause an error if DuckDB ends the rows early", async () => {
    const stream = connection.stream.bind(connection);
    const ended = vi.spyOn(connection, "stream").mockImplementation(async (...asked) => {
      const result = await stream(...asked);
      connection.interrupt();
      return result;
    });
    await expect(rowBatches(connection, schema, source)).rejects.toThrow(/ended before its last row/);
    expect(ended).toHaveBeenCalled();
    ended.mockRestore();
  });
});
