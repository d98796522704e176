import { expect, it } from "vitest";
import { loadDuckDB } from "../../../src/tables/sql/load-duckdb.js";

it("throws an error with the package to install if DuckDB's program is missing", async () => {
  const missing = Object.assign(new Error("Cannot find module '@duckdb/node-bindings-linux-x64/duckdb.node'"), {
    code: "MODULE_NOT_FOUND",
  });
  await expect(loadDuckDB(() => Promise.reject(missing))).rejects.toMatchObject({
    code: "ERR_DEPENDENCY",
    message: expect.stringContaining(`${process.platform}-${process.arch}`),
    hint: expect.stringContaining("--include=optional"),
    cause: missing,
  });
});

it("loads DuckDB", async () => {
  expect((await loadDuckDB()).DuckDBInstance.create).toBeTypeOf("function");
});
