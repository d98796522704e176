import { expect, it } from "vitest";
import { loadDuckDB } from "../../../src/tables/sql/load-duckdb.js";

it("says what to install where DuckDB's program is missing", async () => {
  const missing = Object.assign(new Error("Cannot find module '@duckdb/node-bindings-linux-x64/duckdb.node'"), {
    code: "MODULE_NOT_FOUND",
  });
  await expect(loadDuckDB(() => Promise.reject(missing))).rejects.toMatchObject({
    code: "ERR_ARGUMENT",
    message: expect.stringContaining(`${process.platform}-${process.arch}`),
    hint: expect.stringContaining("--include=optional"),
    cause: missing,
  });
});

it("loads the real one", async () => {
  expect((await loadDuckDB()).DuckDBInstance.create).toBeTypeOf("function");
});
