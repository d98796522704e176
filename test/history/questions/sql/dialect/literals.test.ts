import { describe, expect, it } from "vitest";
import { dialects } from "../../../../../src/history/questions/sql/dialect/dialects.js";
import { type LiteralColumn, literalTables } from "../../../../../src/history/questions/sql/dialect/literals.js";
import { duckdbRows } from "../../../../support/duckdb-rows.js";

const texts = ["a", "b".repeat(200), "it's", null, "d".repeat(90), "e"];
const columns: readonly LiteralColumn[] = [
  { name: "n", type: "bigint", valueAt: (row) => row },
  { name: "Text", type: "text", valueAt: (row) => texts[row] ?? null },
];
const { duckdb, trino } = dialects;

describe("a table of literals", () => {
  it.each([
    [Number.POSITIVE_INFINITY, 1],
    [100, 5],
    [1, 6],
  ])("has all its rows in statements of %d characters", async (most, statements) => {
    const written = [...literalTables(duckdb, columns, texts.length, most)];
    expect(written).toHaveLength(statements);
    const { names, rows } = await duckdbRows(written.map((sql) => `(${sql})`).join("\nUNION ALL "));
    expect(names).toEqual(["n", "Text"]);
    expect(rows).toEqual(texts.map((text, row) => [BigInt(row), text]));
  });

  it("has no longer statement, except for its head", () => {
    const many = { name: "x", type: "text" as const, valueAt: (row: number) => `value ${row}` };
    const head = [...literalTables(trino, [many], 0)].join("").length;
    const written = [...literalTables(trino, [many], 5000, 10_000)];
    expect(Math.max(...written.map((sql) => sql.length))).toBeLessThanOrEqual(10_000 + head);
    expect(written.length).toBeLessThan(15);
  });

  it("may be empty", async () => {
    const [empty = "", ...others] = literalTables(duckdb, columns, 0, 1);
    expect(others).toEqual([]);
    expect(await duckdbRows(empty)).toEqual({ names: ["n", "Text"], rows: [] });
  });
});
