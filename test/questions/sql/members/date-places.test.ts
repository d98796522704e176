import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { duckdbDialect } from "../../../../src/questions/sql/dialect/duckdb-dialect.js";
import { DatePlaces } from "../../../../src/questions/sql/members/date-places.js";
import { statement } from "../../../../src/questions/sql/scope/statement.js";
import { duckdbRows } from "../../../support/duckdb-rows.js";

/** The places of times, as DuckDB finds them. */
async function placesOf(datesUs: readonly number[], timesUs: readonly (number | null)[]): Promise<readonly unknown[]> {
  const places = new DatePlaces(duckdbDialect, datesUs);
  const times = timesUs.map((us, n) => [
    String(n),
    us === null ? "CAST(NULL AS BIGINT)" : `CAST(${BigInt(us)} AS BIGINT)`,
  ]);
  const sql = statement(
    [...places.members(), duckdbDialect.relation("times", ["n", "us"], times)],
    `SELECT CAST(${places.place("us", "p")} AS DOUBLE) FROM times${places.joins("us", "p")} ORDER BY n`,
  );
  return (await duckdbRows(sql)).rows.map(([place]) => place);
}

function naivePlace(datesUs: readonly number[], us: number | null): number {
  const place = us === null ? -1 : datesUs.findIndex((date) => date >= us);
  return place < 0 ? datesUs.length : place;
}

async function expectPlaces(datesUs: readonly number[], timesUs: readonly (number | null)[]): Promise<void> {
  expect(await placesOf(datesUs, timesUs)).toEqual(timesUs.map((us) => naivePlace(datesUs, us)));
}

const around = (us: number) => [us - 1, us, us + 1];
const ascending = (us: readonly number[]) => [...new Set(us)].sort((a, b) => a - b);

describe("the places of times among dates", () => {
  it("are right at every edge of regular, uneven and single dates, also before 1970", async () => {
    const day = 86_400_000_000;
    const grids = [
      [5],
      [0, 1],
      Array.from({ length: 40 }, (_, n) => 1_700_000_000_000_000 + n * day),
      Array.from({ length: 60 }, (_, n) => -(2 ** n) - 1).reverse(),
      Array.from({ length: 50 }, (_, n) => 2 ** n),
      [-62_135_596_800_000_000, 0, 1, 2, 253_402_300_799_000_000],
    ];
    for (const dates of grids) await expectPlaces(dates, [null, ...dates.flatMap(around)]);
  });

  it("are those of a search, whatever the dates", { timeout: 60_000 }, async () => {
    const us = fc.oneof(
      fc.integer({ min: -20, max: 20 }),
      fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
      fc.maxSafeInteger(),
    );
    const dates = fc.array(us, { minLength: 1, maxLength: 40 }).map(ascending);
    await fc.assert(
      fc.asyncProperty(dates, fc.array(us, { maxLength: 20 }), async (datesUs, timesUs) => {
        const edges = datesUs.flatMap(around).filter(Number.isSafeInteger);
        await expectPlaces(datesUs, [null, ...edges, ...timesUs]);
      }),
      { numRuns: 60 },
    );
  });

  it("takes about as many buckets as there are dates", () => {
    const dates = Array.from({ length: 1000 }, (_, n) => Date.UTC(2020, n, 28) * 1000);
    const [grid = ""] = new DatePlaces(duckdbDialect, dates).members();
    expect(grid.split("(").length).toBeLessThan(1500);
  });
});
