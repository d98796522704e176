import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../src/core/diagnostic.js";
import { change, definition, feature, uuid } from "../../support/records.js";
import { pulledSnapshot } from "../opened-snapshot.js";

const cost = uuid(1, "aaaaaaaa");

/** Values of summed columns: some of the type, and others. */
const values = fc.constantFrom<unknown>(0, 1, 3, -4, 2.5, -0.25, 1e15, null, "5", "x", true, [1], { a: 1 });
const summed = fc.record({
  type: fc.constantFrom("INTEGER", "FLOAT", "DECIMAL"),
  present: fc.array(values, { minLength: 1, maxLength: 6 }),
  logged: fc.array(fc.record({ value: values, feature: fc.nat(5), day: fc.nat(110) }), { maxLength: 12 }),
});

function summedRecords(
  type: string,
  present: readonly unknown[],
  logged: readonly { readonly value: unknown; readonly feature: number; readonly day: number }[],
) {
  return {
    propertyDefinitions: [definition(cost, "Cost", { type })],
    // One feature always has a number, since a sum of strings only is refused.
    layerFeatures: [7, ...present].map((value, n) => feature(n + 1, { properties: { [cost]: value } })),
    propertyChanges: logged.map(({ value, feature: place, day: after }, n) =>
      change(n + 1, {
        layer_feature_id: 2 + (place % present.length),
        property_key: cost,
        new_value: value,
        created_at: new Date(Date.UTC(2024, 0, 5 + after)).toISOString(),
      }),
    ),
  };
}

describe("macros of semantic types", () => {
  it("have the sums of a history for all logs", async () => {
    await fc.assert(
      fc.asyncProperty(summed, async ({ type, present, logged }) => {
        const own = await pulledSnapshot(summedRecords(type, present, logged));
        const history = await own.history({ semantic_type: "TRENCHES" });
        const questions = await own.lazyHistory({ semantic_type: "TRENCHES" });
        const dates = ["2024-01-31", "2024-02-29", "2024-03-31", "2024-04-30"];
        const totals = history.totals("Cost", dates);
        const answered = await questions.totals("Cost", dates);
        for (const [row, date] of dates.entries()) {
          const given = await own.sql(
            `SELECT coalesce(sum("Cost"), 0)::DOUBLE AS sum, count("Cost")::DOUBLE AS n FROM TRENCHES_AT('${date}')`,
          );
          for (const table of [totals, answered]) {
            expect(table.get("sum", row)).toBeCloseTo(Number(given.get("sum", 0)), 9);
            expect(table.get("count", row)).toBe(given.get("n", 0));
          }
        }
        const mismatches = async (asked: {
          readonly diagnostics: readonly Diagnostic[] | Promise<readonly Diagnostic[]>;
        }) =>
          (await asked.diagnostics).filter(
            ({ code, message }) => code === "value-type-mismatch" && message.startsWith("totals("),
          );
        expect(await mismatches(questions)).toEqual(await mismatches(history));
        await questions.close();
      }),
      { numRuns: 8, seed: 1 },
    );
  });
});
