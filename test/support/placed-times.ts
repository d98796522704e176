import { expect } from "vitest";
import { DatePlaces } from "../../src/history/questions/sql/cte/date-places.js";
import type { Dialect } from "../../src/history/questions/sql/dialect/dialect.js";
import { statement } from "../../src/history/questions/sql/statement-scope.js";

/** An engine that finds the indices of times among dates. */
export interface PlacingEngine {
  readonly dialect: Dialect;
  rows(sql: string): Promise<readonly (readonly unknown[])[]>;
}

const day = 86_400_000_000;

/** The time, and the microseconds before and after it. */
export const around = (us: number) => [us - 1, us, us + 1];

/** Dates at regular and irregular distances, single dates, before 1970 and in far years. */
export const oddGrids: readonly (readonly number[])[] = [
  [5],
  [0, 1],
  Array.from({ length: 40 }, (_, n) => 1_700_000_000_000_000 + n * day),
  Array.from({ length: 60 }, (_, n) => -(2 ** n) - 1).reverse(),
  Array.from({ length: 50 }, (_, n) => 2 ** n),
  [-62_135_596_800_000_000, 0, 1, 2, 253_402_300_799_000_000],
  [-(2 ** 53) + 1, 2 ** 53 - 1],
];

/** Expects an engine to find the same indices as a search through all dates. */
export async function expectPlaces(
  { dialect, rows }: PlacingEngine,
  datesUs: readonly number[],
  timesUs: readonly (number | bigint | null)[],
): Promise<void> {
  const places = new DatePlaces(dialect, datesUs);
  const times = timesUs.map((us, n) => [
    String(n),
    us === null ? "CAST(NULL AS BIGINT)" : `CAST(${BigInt(us)} AS BIGINT)`,
  ]);
  const sql = statement(
    [...places.members(), dialect.relation("times", ["n", "us"], times)],
    `SELECT CAST(${places.indexOf("us", "p")} AS DOUBLE) FROM times${places.joins("us", "p")} ORDER BY n`,
  );
  const found = (await rows(sql)).map(([place]) => place);
  expect(found).toEqual(timesUs.map((us) => naivePlace(datesUs, us)));
}

function naivePlace(datesUs: readonly number[], us: number | bigint | null): number {
  const place = us === null ? -1 : datesUs.findIndex((date) => BigInt(date) >= BigInt(us));
  return place < 0 ? datesUs.length : place;
}
