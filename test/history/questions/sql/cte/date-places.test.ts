import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DatePlaces } from "../../../../../src/history/questions/sql/cte/date-places.js";
import { duckdbDialect } from "../../../../../src/history/questions/sql/dialect/duckdb-dialect.js";
import { duckdbRows } from "../../../../support/duckdb-rows.js";
import { around, expectPlaces, oddGrids } from "../../../../support/placed-times.js";
import { randomRuns } from "../../../../support/random-runs.js";

const duckdb = { dialect: duckdbDialect, rows: async (sql: string) => (await duckdbRows(sql)).rows };
const ascending = (us: readonly number[]) => [...new Set(us)].sort((a, b) => a - b);

describe("the places of times among dates", () => {
  it("are right at every edge of regular, uneven and single dates, also before 1970", async () => {
    for (const dates of oddGrids) await expectPlaces(duckdb, dates, [null, ...dates.flatMap(around)]);
  });

  it("are those of a search, for any dates", async () => {
    const us = fc.oneof(
      fc.integer({ min: -20, max: 20 }),
      fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
      fc.maxSafeInteger(),
    );
    const dates = fc.array(us, { minLength: 1, maxLength: 40 }).map(ascending);
    await fc.assert(
      fc.asyncProperty(dates, fc.array(us, { maxLength: 20 }), async (datesUs, timesUs) => {
        const edges = datesUs.flatMap(around).filter(Number.isSafeInteger);
        await expectPlaces(duckdb, datesUs, [null, ...edges, ...timesUs]);
      }),
      { numRuns: randomRuns(60) },
    );
  });

  it("takes about as many buckets as there are dates", () => {
    const dates = Array.from({ length: 1000 }, (_, n) => Date.UTC(2020, n, 28) * 1000);
    const [grid = ""] = new DatePlaces(duckdbDialect, dates).members();
    expect(grid.split("(").length).toBeLessThan(1500);
  });
});
