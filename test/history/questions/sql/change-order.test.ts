import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareText } from "../../../../src/core/json.js";
import { validOrder } from "../../../../src/history/log/valid-order.js";
import { changeOrder, ofFirstChange, ofLastChange } from "../../../../src/history/questions/sql/cte/change-ctes.js";
import { dialects } from "../../../../src/history/questions/sql/dialect/dialects.js";
import { duckdbRows } from "../../../support/duckdb-rows.js";
import { randomRuns } from "../../../support/random-runs.js";

const { duckdb } = dialects;

/** Changes of few times, so that many tie, and ids with their first or last digits in common. */
const changes = fc.uniqueArray(
  fc.record({
    us: fc.integer({ min: -2, max: 2 }),
    id: fc
      .tuple(fc.constantFrom("00000000", "7fffffff", "80000000", "ffffffff"), fc.nat({ max: 99 }))
      .map(([first, n]) => `${first}-0000-7000-8000-${n.toString(16).padStart(12, "0")}`),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 40 },
);

describe("the order of changes", () => {
  it("is the same in memory and in SQL for equal times", async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (made) => {
        const log = [...made].sort((a, b) => compareText(a.id, b.id));
        const inMemory = Array.from(validOrder(Float64Array.from(log, ({ us }) => us)), (place) => log[place]?.id);
        const rows = made.map(({ us, id }) => [String(us), duckdb.text(id)]);
        const ask = async (selected: string, id: string) =>
          (
            await duckdbRows(
              `WITH ${duckdb.relation("made", ["us", "text"], rows)}, changes AS (SELECT us, ${id} AS id, text FROM made) ${selected}`,
            )
          ).rows.flat();
        const ordered = `SELECT text FROM changes ORDER BY ${changeOrder()}`;
        // As strings, and as the type that the engine sorts fastest.
        expect(await ask(ordered, "text")).toEqual(inMemory);
        expect(await ask(ordered, duckdb.uuid("text"))).toEqual(inMemory);
        const ends = `SELECT ${ofFirstChange(duckdb, "text")}, ${ofLastChange(duckdb, "text", "us <= 0")} FROM changes`;
        const upToNow = inMemory.filter((id) => made.some((one) => one.id === id && one.us <= 0));
        expect(await ask(ends, "text")).toEqual([inMemory[0], upToNow.at(-1) ?? null]);
      }),
      { numRuns: randomRuns(40) },
    );
  });
});
