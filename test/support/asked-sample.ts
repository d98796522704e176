import fc from "fast-check";
import { type SampleOptions, sampleCompany } from "../../sample/sample-company.js";
import type { Dates, PlainPoint } from "../../src/index.js";
import { writeSnapshot } from "../../src/snapshot/write/write-snapshot.js";
import type { QuestionDraw } from "./question-calls.js";

/** Time zones with different offsets and daylight saving rules. */
export const zones = ["Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati"];

/** Writes the sample company as a snapshot. */
export async function writeSample(
  path: string,
  { readAt = new Date("2026-06-30T12:00:00Z"), ...options }: SampleOptions & { readonly readAt?: Date } = {},
): Promise<void> {
  const company = sampleCompany(options);
  const [layerFeatures, propertyChanges] = [company.layerFeatures(), company.propertyChanges()];
  await writeSnapshot(path, { ...company, layerFeatures, propertyChanges }, { readAt });
}

const points: fc.Arbitrary<PlainPoint> = fc.oneof(
  fc.constantFrom("2023-12-31", "2025-03-30", "2025-10-26", "2026-06-29", "2026-07-01"),
  fc.date({ min: new Date("2022-01-01"), max: new Date("2026-08-01"), noInvalidDate: true }),
);

const grids: fc.Arbitrary<Dates> = fc.constantFrom<Dates>(
  { from: "2024-01-31", until: "2026-06-30", every: "month" },
  { from: "2026-03-20", until: "2026-04-10", every: "day" },
  ["2025-03-29", "2025-03-30", "2025-03-31"],
);

/** Draws arguments of questions to the sample company. */
export function drawOfSample(gen: fc.GeneratorValue, columns: readonly string[]): QuestionDraw {
  return {
    time: () => gen(() => points),
    grid: () => gen(() => grids),
    column: () => gen(fc.constantFrom, ...columns),
    pick: (names) => gen(fc.constantFrom, ...names),
    flag: () => gen(fc.boolean),
  };
}
