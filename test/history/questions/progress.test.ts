import { table } from "arquero";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import { progress } from "../../../src/history/site/site-progress.js";
import { calendar } from "../../../src/index.js";
import type { History } from "../../../src/layer/layer.js";
import { fromRecords } from "../../../src/source/from-records.js";
import { randomRuns } from "../../support/random-runs.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { rowsOf } from "../small-history.js";

const length = uuid(1, "aaaaaaaa");
const block = uuid(2, "bbbbbbbb");

interface Drawn {
  readonly length: number | null;
  readonly block: string;
  /** Day of the project and stage. */
  readonly steps: readonly (readonly [day: number, stage: string])[];
}

const start = Date.UTC(2024, 2, 1);
const day = (count: number) => new Date(start + count * 86_400_000);

async function trenches(drawn: readonly Drawn[]): Promise<History> {
  const layerFeatures = drawn.map((one, at) =>
    feature(at + 1, {
      created_at: "2024-01-01T00:00:00Z",
      properties: { [length]: one.length, [block]: one.block },
      geometry: null,
    }),
  );
  let n = 0;
  const propertyChanges = drawn.flatMap(({ steps }, at) =>
    [[-60, "OPEN"] as const, ...steps].map(([at_day, new_value]) =>
      change(++n, { layer_feature_id: at + 1, created_at: day(at_day).toISOString(), new_value }),
    ),
  );
  const source = fromRecords(
    {
      layerFeatures,
      propertyChanges,
      datasets: [dataset(1)],
      propertyDefinitions: [
        definition(length, "Length", { type: "FLOAT", config: { unit: "m" } }),
        definition(block, "Block", { type: "STRING" }),
      ],
    },
    { readAt: new Date("2025-01-01T00:00:00Z") },
  );
  return source.history({ site_id: 12 });
}

function trench(block: string, length: number | null, ...steps: Drawn["steps"]): Drawn {
  return { length, block, steps };
}

/** Trenches of 2 m, of which one a week is closed in twelve weeks. */
const weekly = Array.from({ length: 20 }, (_, at) =>
  at < 12 ? trench("A", 2, [7 * at - 1, "CLOSED"]) : trench("A", 2),
);

const credits = { OPEN: 0, DUG: 0.25, CLOSED: 1 };
const four: readonly Drawn[] = [
  trench("A", 10, [0, "DUG"], [2, "CLOSED"]),
  trench("A", 20, [1, "DUG"]),
  trench("B", 30),
  trench("B", null),
];
// A goes up 3 m a day from 1 March on, B from 11 March on.
const plan = table({
  Block: ["A", "A", "B", "B"],
  date: ["2024-02-29", "2024-03-10", "2024-03-10", "2024-03-20"],
  value: [0, 30, 0, 30],
});

describe("history.progress", () => {
  it("has earned and planned quantities and times", async () => {
    const own = await trenches(four);
    const options = { weight: "Length", credits, plan, by: "Block", at: "2024-03-03", since: "2024-03-01" };
    const found = own.progress("STATUS", options);
    expect(rowsOf(found)).toEqual([
      {
        // One week of nine was one of 15 m, and as many are left: 1 − (8/9)^6 is over a half, and 1 − (8/9)^14 over four fifths.
        ...{ Block: "A", features: 2, contracted: 30, unit: "m", earned: 15, percent: 50, change: 12.5 },
        ...{ planned: 9, sv: 6, spi: 15 / 9, es: day(5), sv_days: 2, spi_time: 5 / 3 },
        ...{ baseline_start: day(0), baseline_end: day(10), actual_start: day(0), actual_end: null },
        ...{ p50: day(3 + 6 * 7), p80: day(3 + 14 * 7) },
      },
      {
        ...{ Block: "B", features: 2, contracted: 30, unit: "m", earned: 0, percent: 0, change: 0 },
        ...{ planned: 0, sv: 0, spi: null, es: day(3), sv_days: 0, spi_time: null },
        ...{
          baseline_start: day(10),
          baseline_end: day(20),
          actual_start: null,
          actual_end: null,
          p50: null,
          p80: null,
        },
      },
    ]);
    expect(rowsOf(found.stages)).toEqual([
      { Block: "A", stage: "OPEN", quantity: 0, reached: 30, percent: 100 },
      { Block: "A", stage: "DUG", quantity: 20, reached: 30, percent: 100 },
      { Block: "A", stage: "CLOSED", quantity: 10, reached: 10, percent: 100 / 3 },
      { Block: "B", stage: "OPEN", quantity: 30, reached: 30, percent: 100 },
      { Block: "B", stage: "DUG", quantity: 0, reached: 0, percent: 0 },
      { Block: "B", stage: "CLOSED", quantity: 0, reached: 0, percent: 0 },
    ]);
    expect(found.diagnostics.map(({ code }) => code)).toEqual(["weight-missing"]);
  });

  it("keeps the values once all is done, and counts features by the last stage", async () => {
    const own = await trenches([trench("A", 1, [2, "CLOSED"])]);
    const whole = table({ date: ["2024-02-29", "2024-03-10"], value: [0, 1] });
    const found = own.progress("STATUS", { stages: ["OPEN", "DUG", "CLOSED"], plan: whole, at: "2024-06-30" });
    // Ten days were planned, and it took two.
    expect(rowsOf(found)[0]).toMatchObject({
      ...{ unit: "features", earned: 1, percent: 100, es: day(10), sv_days: 8, spi: 1, spi_time: 5 },
      ...{ actual_start: day(2), actual_end: day(2), p50: null },
    });
    const counted = own.progress("STATUS", { done: "CLOSED" });
    expect(rowsOf(counted)[0]).toMatchObject({ earned: 1, planned: null, sv: null, es: null });
    expect(counted.stages.numRows()).toBe(0);
  });

  it("keeps the values once a plan of fractional weights is done", async () => {
    // 14 × 104.7 is less than the sum of 14 numbers, due to rounding.
    const fence = Array.from({ length: 14 }, (_, at) =>
      trench(day(at).toISOString().slice(0, 10), 104.7, [at + 5, "CLOSED"]),
    );
    const own = await trenches(fence);
    const asked = { done: "CLOSED", weight: "Length", plan: "Block" } as const;
    const at = (date: string) => rowsOf(own.progress("STATUS", { ...asked, at: date }))[0];
    expect(at("2024-04-01")).toMatchObject({ percent: 100, earned: 1465.8, planned: 1465.8, sv: 0, spi: 1 });
    expect(at("2024-06-01")).toEqual(at("2024-04-01"));
    const variance = (until: string) => own.planVariance("STATUS", { ...asked, until }).get("variance_days", 0);
    expect(variance("2024-06-01")).toBe(variance("2024-04-01"));
  });

  it("reports missing and mismatched plans", async () => {
    const own = await trenches(four);
    const found = own.progress("STATUS", {
      credits,
      by: "Block",
      plan: plan.filter("d => d.Block === 'A'"),
      at: "2024-03-03",
    });
    expect(found.diagnostics).toMatchObject([
      { code: "plan-empty", severity: "warning", count: 1, facts: { rows: [1] } },
      { code: "plan-size-differs", severity: "warning", count: 1, facts: { rows: [0] } },
    ]);
    const falling = plan.derive({ value: "d => d.Block === 'B' ? 30 - d.value : d.value" });
    expect(() => own.progress("STATUS", { credits, by: "Block", plan: falling })).toThrow(
      'the plan falls from 30 by "2024-03-10"',
    );
    expect(() => own.progress("STATUS", { credits, by: "site_id", plan })).toThrow(
      'progress(): the plan has no column "site_id"',
    );
    expect(() => own.progress("STATUS", { stages: ["OPEN", "DUGG", "CLOSED"] })).toThrow(
      '"STATUS" never had the value "DUGG", which is in `order`.',
    );
    expect(() => own.progress("STATUS", {})).toThrow("`done` is empty.");
  });

  it("refuses `since` after the day of the report", async () => {
    const own = await trenches(four);
    const asked = { credits, at: "2024-03-03" };
    expect(() => own.progress("STATUS", { ...asked, since: "2024-04-01" })).toThrow(
      expect.objectContaining({
        code: "ERR_ARGUMENT",
        message: 'progress(): `since` is "2024-04-01", after the date of the report, "2024-03-03".',
      }),
    );
    expect(own.progress("STATUS", { ...asked, since: "2024-03-03" }).array("change")).toEqual([0]);
    expect(() => own.progress("STATUS", { credits, since: "2025-01-02" })).toThrow(
      '`since` is "2025-01-02", after the date of the report, 2025-01-01T00:00:00.000Z.',
    );
    await expect(progress({ T: own }, { ...asked, since: "2024-04-01" })).rejects.toThrow("progress(): T: `since` is");
  });

  it("agrees with an oracle of earned quantities and plan dates", async () => {
    const step = fc.tuple(fc.integer({ min: 0, max: 100 }), fc.constantFrom("DUG", "CLOSED", "OPEN"));
    const drawn = fc.record({
      length: fc.option(fc.integer({ min: 0, max: 50 }), { nil: null }),
      block: fc.constantFrom("A", "B", "C"),
      steps: fc.uniqueArray(step, { maxLength: 4, selector: ([at]) => at }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawn, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: 110 }),
        async (all, at) => {
          // Not all stages need to have been reached.
          const had = new Set<string>(all.flatMap(({ steps }) => steps.map(([, stage]) => stage)));
          const known = Object.fromEntries(
            Object.entries(credits).filter(([stage]) => stage === "OPEN" || had.has(stage)),
          );
          const own = await trenches(all);
          const planned = table({
            Block: ["A", "A", "B", "B", "C", "C"],
            date: [0, 50, 1, 51, 2, 52].map(day),
            value: [0, 100, 0, 100, 0, 100],
          });
          if (!all.some((one) => one.length !== null)) return;
          const options = { weight: "Length", credits: known, plan: planned, by: "Block", at: day(at) };
          const found = own.progress("STATUS", options);
          const blocks = [...new Set(all.map((one) => one.block))].sort();
          expect(found.array("Block")).toEqual(blocks);
          for (const row of rowsOf(found)) {
            const place = ["A", "B", "C"].indexOf(String(row["Block"]));
            const members = all.filter((one) => one.block === row["Block"]);
            let earned = 0;
            for (const { length: long, steps } of members) {
              const passed = [...steps].sort(([a], [b]) => a - b).filter(([on]) => on <= at);
              earned += (long ?? 0) * credits[(passed.at(-1)?.[1] ?? "OPEN") as keyof typeof credits];
            }
            expect(row["earned"]).toBeCloseTo(earned, 9);
            expect(row["contracted"]).toBe(members.reduce((sum, one) => sum + (one.length ?? 0), 0));
            const expected = Math.min(Math.max((at - place) * 2, 0), 100);
            expect(row["planned"]).toBeCloseTo(expected, 6);
            // When the plan was where the work is.
            const isWhole = earned >= 100;
            const es = (Number(row["es"]) - start) / 86_400_000;
            if (!isWhole && earned > 0) expect((es - place) * 2).toBeCloseTo(earned, 4);
            if (!isWhole) expect(row["sv_days"]).toBeCloseTo(es - at, 4);
          }
        },
      ),
      { numRuns: randomRuns(60) },
    );
  });

  it("uses a calendar as planVariance() and forecast() do", async () => {
    const days = calendar({ timeZone: "UTC", hours: "08:00-16:00", weekend: ["saturday", "sunday"] });
    const own = await trenches(weekly);
    const line = table({ date: ["2024-02-29", "2024-07-31"], value: [0, 40] });
    const asked = { done: "CLOSED", weight: "Length", calendar: days } as const;
    const [row] = rowsOf(own.progress("STATUS", { ...asked, plan: line, at: "2024-05-18" }));
    const [variance] = rowsOf(own.planVariance("STATUS", { ...asked, plan: line, until: "2024-05-18" }));
    expect(row?.["planned"]).toBe(variance?.["planned"]);
    expect(row?.["sv_days"]).toBe(variance?.["variance_days"]);
    const forecasts = own.forecast("STATUS", { ...asked, until: "2024-05-18", trials: 2000, backtests: 0 });
    expect([row?.["p50"], row?.["p80"]]).toEqual(Array.from(forecasts.array("date")).slice(0, 2));
    expect(Number(row?.["p80"])).toBeGreaterThanOrEqual(Number(day(78 + 8 * 7)));
    // Of 109 working days from 1 March to 31 July 24 of 40 m are 65.4, the 56th is 17 May: 9.4 are ahead.
    expect(row?.["sv_days"]).toBeCloseTo(0.6 * 109 - 56, 9);
    expect(row?.["spi_time"]).toBeCloseTo((0.6 * 109) / 56, 9);
    // The 66th is 31 May: four tenths of its eight hours.
    expect(row?.["es"]).toEqual(new Date("2024-05-31T11:12:00Z"));
    const [plain] = rowsOf(own.progress("STATUS", { done: "CLOSED", weight: "Length", plan: line, at: "2024-05-18" }));
    expect(plain?.["sv_days"]).not.toBeCloseTo(Number(row?.["sv_days"]), 1);
    await expect(progress({ T: own }, { ...asked, calendar: { weekend: ["sonday"] } as never })).rejects.toThrow(
      ArgumentError,
    );
  });

  it("predicts nothing if nothing was done in half a year, with and without a calendar", async () => {
    const own = await trenches([trench("A", 2, [1, "CLOSED"]), trench("A", 2)]);
    const asked = { done: "CLOSED", weight: "Length" } as const;
    for (const given of [{}, { calendar: calendar({ timeZone: "UTC" }) }]) {
      const [row] = rowsOf(own.progress("STATUS", { ...asked, ...given, at: day(200) }));
      expect(row).toMatchObject({ earned: 2, contracted: 4, p50: null, p80: null });
      const forecasts = own.forecast("STATUS", { ...asked, ...given, until: day(200), weeks: 26, backtests: 0 });
      expect(new Set(forecasts.array("date"))).toEqual(new Set([null]));
    }
  });
});

describe("progress", () => {
  it("omits weights of unknown units from totals", async () => {
    const [one, two] = [await trenches(four), await trenches(four)];
    const metres = ({ Length: long }: Readonly<Record<string, unknown>>) => long;
    const asked = { credits, at: "2024-03-03" };
    const found = await progress(
      { A: one, B: two, C: one, D: two },
      { ...asked, weight: { A: metres, B: metres, C: "Length" } },
    );
    expect(found.array("unit")).toEqual([null, null, "m", "features"]);
    expect(rowsOf(found.totals)).toEqual([]);
    expect(found.diagnostics.filter(({ code }) => code === "unit-unknown")).toEqual([
      {
        code: "unit-unknown",
        severity: "warning",
        message: 'A, B have weights without a unit and cannot be added to a total. Pass { unit: { "A": "m" } }.',
        count: 2,
        facts: { components: ["A", "B"] },
      },
    ]);
    const given = await progress({ A: one, B: two }, { ...asked, weight: metres, unit: "m" });
    expect(rowsOf(given.totals)).toMatchObject([{ unit: "m", components: 2, contracted: 120 }]);
    const alone = await progress({ A: one, D: two }, { ...asked, weight: { A: metres } });
    expect(alone.diagnostics.map(({ code }) => code)).not.toContain("unit-unknown");
    expect(one.progress("STATUS", { ...asked, weight: metres }).array("unit")).toEqual([null]);
  });

  it("combines components in one table, and totals by unit", async () => {
    const [one, two] = [await trenches(four), await trenches(four)];
    const found = await progress(
      { Trenches: one, Cables: two },
      {
        credits: { Trenches: credits, Cables: { OPEN: 0, DUG: 1, CLOSED: 1 } },
        weight: "Length",
        plan: { Trenches: plan },
        by: "Block",
        at: "2024-03-03",
      },
    );
    expect(found.array("component")).toEqual(["Trenches", "Trenches", "Cables", "Cables"]);
    expect(found.array("earned")).toEqual([15, 0, 30, 0]);
    expect(found.array("planned")).toEqual([9, 0, null, null]);
    expect(rowsOf(found.totals)).toEqual([
      { unit: "m", components: 2, contracted: 120, earned: 45, percent: 37.5, planned: null, sv: null, spi: null },
    ]);
    expect(found.stages.array("component")).toHaveLength(12);
    expect(found.diagnostics.map(({ message }) => message.split(":")[0])).toEqual(["Trenches", "Cables"]);
  });

  it.each<[string, object]>([
    ["weight", { weight: { Trenches: "Length" } }],
    ["unit", { weight: "Length", unit: { Trenches: "m" } }],
    ["done", { done: { Trenches: "CLOSED" } }],
    ["stages", { stages: { Trenches: ["OPEN", "CLOSED"] } }],
    ["credits", { credits: { Trenches: credits } }],
    ["plan", { plan: { Trenches: plan } }],
    ["column", { column: { Trenches: "STATUS" } }],
    ["calendar", { calendar: { Trenches: { timeZone: "UTC" } } }],
  ])("refuses %s of an unknown component", async (option, options) => {
    const own = await trenches(four);
    await expect(progress({ Trench: own, T: own }, { credits, ...options } as never)).rejects.toMatchObject({
      code: "ERR_ARGUMENT",
      message: `progress(): unknown component "Trenches" in \`${option}\`.`,
      hint: 'Did you mean "Trench"? There are: "Trench", "T".',
    });
  });

  it("refuses missing and misspelled options", async () => {
    const own = await trenches(four);
    const refused = (components: object, options: object) => expect(progress(components as never, options)).rejects;
    await refused({}, {}).toThrow("progress(): histories are missing");
    await refused({ T: own }, { credits: { OPEN: "0" } }).toThrow('credits: invalid share "0" of "OPEN"');
    await refused({ T: own, Other: own }, { stages: { T: ["OPEN", "CLOSED"] } }).toMatchObject({
      code: "ERR_ARGUMENT",
      message: 'progress(): `stages` has no entry for "Other".',
      hint: 'Add it: { stages: { "Other": … } }, or remove the component.',
      facts: { component: "Other" },
    });
    await refused({ One: 5 }, {}).toThrow('"One" is not a history: 5.');
    await refused({ One: own }, { waight: "Length" }).toThrow('progress() has no option "waight".');
    const whole = { credits, calendar: { timeZone: "UTC" }, at: "2024-03-03" };
    expect((await progress({ T: own }, whole)).array("earned")).toEqual([1.25]);
  });
});
