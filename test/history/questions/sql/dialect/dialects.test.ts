import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dialects } from "../../../../../src/history/questions/sql/dialect/dialects.js";
import { duckdbRows } from "../../../../support/duckdb-rows.js";
import { randomRuns } from "../../../../support/random-runs.js";

const { duckdb, spark, trino } = dialects;
const hostile = [
  "'; DROP TABLE x; --",
  '"; DROP TABLE x; --',
  "`; DROP TABLE x; --",
  "a\\'b",
  "a\0b",
  "\n--",
  "\u2028",
];

describe("texts and names in SQL", () => {
  it("come out of DuckDB as they went in", async () => {
    const text = fc.oneof(
      fc.constantFrom(...hostile),
      fc.string({ unit: "binary" }).filter((one) => !/\p{Surrogate}/u.test(one)),
    );
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        expect((await duckdbRows(`SELECT ${duckdb.text(value)}`)).rows).toEqual([[value]]);
        if (value === "" || value.includes("\0")) return;
        expect((await duckdbRows(`SELECT 1 AS ${duckdb.identifier(value)}`)).names).toEqual([value]);
      }),
      { numRuns: randomRuns(100) },
    );
  });

  it("are quoted as Spark reads them, for which a backslash escapes and two literals are one", () => {
    expect(hostile.map((value) => spark.text(value))).toEqual([
      "'\\'; DROP TABLE x; --'",
      `'"; DROP TABLE x; --'`,
      "'`; DROP TABLE x; --'",
      "'a\\\\\\'b'",
      "'a\\u0000b'",
      "'\\u000a--'",
      "'\u2028'",
    ]);
    expect(spark.identifier("a`; --")).toBe("`a``; --`");
  });

  it("are quoted as Trino reads them, control characters as code points", () => {
    expect(hostile.map((value) => trino.text(value))).toEqual([
      "'''; DROP TABLE x; --'",
      `'"; DROP TABLE x; --'`,
      "'`; DROP TABLE x; --'",
      "'a\\''b'",
      "U&'a\\0000b'",
      "U&'\\000a--'",
      "'\u2028'",
    ]);
    expect(trino.text("\\\0'")).toBe("U&'\\\\\\0000'''");
    expect(trino.identifier('a"; --')).toBe('"a""; --"');
  });
});
