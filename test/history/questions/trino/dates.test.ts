import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { trino } from "../../../../src/history/questions/engine/trino.js";
import { BEGINNING_US } from "../../../../src/history/questions/sql/cell-values.js";
import { DatePlaces } from "../../../../src/history/questions/sql/cte/date-places.js";
import { trinoDialect } from "../../../../src/history/questions/sql/dialect/trino-dialect.js";
import { around, expectPlaces, oddGrids, type PlacingEngine } from "../../../support/placed-times.js";
import { hasTrino, trinoCluster } from "../../../support/trino-cluster.js";

/** No double holds it, and the next doubles are two away. */
const INEXACT = 2n ** 53n + 1n;

describe.skipIf(!hasTrino())("the places of times among dates, as Trino finds them", () => {
  let asked: PlacingEngine & { close(): Promise<void> };
  beforeAll(async () => {
    const { server, catalog } = await trinoCluster();
    const engine = trino({ server, catalog, schema: "information_schema", source: "tests" });
    const rows = async (sql: string) => {
      const found: unknown[][] = [];
      for await (const { rowCount, columns } of engine.query(sql)) {
        for (let row = 0; row < rowCount; row += 1) found.push(columns.map((column) => column[row]));
      }
      return found;
    };
    asked = { dialect: trinoDialect, rows, close: () => engine.close() };
  });
  afterAll(() => asked?.close());

  it("are right at every edge of regular, uneven, single and far dates", async () => {
    const far = [BEGINNING_US, INEXACT, -INEXACT, INEXACT + 1n, -INEXACT - 1n];
    for (const dates of oddGrids) await expectPlaces(asked, dates, [null, ...far, ...dates.flatMap(around)]);
  });

  it("need no table of literals if doubles hold the dates", () => {
    const members = (datesUs: readonly number[]) => new DatePlaces(trinoDialect, datesUs).members().length;
    expect(members([0, 1, 2 ** 53 - 1])).toBe(0);
    expect(members([0, 2 ** 53])).toBeGreaterThan(0);
  });
});
