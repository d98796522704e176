import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../../src/core/finding.js";
import { fromRecords, openSnapshot, pull } from "../../../src/index.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { site } from "../moving-service.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const cost = uuid(1, "aaaaaaaa");
let paths = 0;

/** Values of columns that are added up: a few of the type, and what else logs bring. */
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
    sites: [site(1)],
    datasets: [dataset(1, { site_id: 1 })],
    propertyDefinitions: [definition(cost, "Cost", { type })],
    // One feature has a number whatever comes, since a sum of texts alone is refused.
    layerFeatures: [7, ...present].map((value, n) => feature(n + 1, { site_id: 1, properties: { [cost]: value } })),
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
  it("give the sums of a history, whatever the log holds", async () => {
    await fc.assert(
      fc.asyncProperty(summed, async ({ type, present, logged }) => {
        const path = join(folder, `summed-${++paths}.snapshot`);
        await pull(fromRecords(summedRecords(type, present, logged)), path);
        const own = await openSnapshot(path);
        const history = await own.history({ semantic_type: "TRENCHES" });
        const questions = await own.questions({ semantic_type: "TRENCHES" });
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
        const mismatches = async (asked: { readonly findings: readonly Finding[] | Promise<readonly Finding[]> }) =>
          (await asked.findings).filter(
            ({ code, message }) => code === "type-mismatch" && message.startsWith("totals("),
          );
        expect(await mismatches(questions)).toEqual(await mismatches(history));
        await questions.close();
        await own.close();
      }),
      { numRuns: 8, seed: 1 },
    );
  });
});
