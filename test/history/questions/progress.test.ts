import { table } from "arquero";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import { progress } from "../../../src/history/questions/site-progress.js";
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

const credits = { OPEN: 0, DUG: 0.25, CLOSED: 1 };
const four: readonly Drawn[] = [
  {
    length: 10,
    block: "A",
    steps: [
      [0, "DUG"],
      [2, "CLOSED"],
    ],
  },
  { length: 20, block: "A", steps: [[1, "DUG"]] },
  { length: 30, block: "B", steps: [] },
  { length: null, block: "B", steps: [] },
];
// A goes up 3 m a day from 1 March on, B from 11 March on.
const plan = table({
  Block: ["A", "A", "B", "B"],
  date: ["2024-02-29", "2024-03-10", "2024-03-10", "2024-03-20"],
  value: [0, 30, 0, 30],
});

describe("history.progress", () => {
  it("tells what is earned and planned, in quantity and in time", async () => {
    const own = await trenches(four);
    const options = { weight: "Length", credits, plan, by: "Block", at: "2024-03-03", since: "2024-03-01" };
    const found = own.progress("STATUS", options);
    expect(rowsOf(found)).toEqual([
      {
        // One week of nine was one of 15 m, and as many are left: 1 − (8/9)^6 is over a half, and 1 − (8/9)^14 over four fifths.
        ...{ Block: "A", features: 2, contracted: 30, unit: "m", earned: 15, percent: 50, change: 12.5 },
        ...{ planned: 9, sv: 6, spi: 15 / 9, es: day(5), sv_days: 2, spi_time: 5 / 3 },
        ...{
          baseline_start: day(0),
          baseline_end: day(10),
          actual_start: day(0),
          actual_end: null,
          p50: day(3 + 6 * 7),
          p80: day(3 + 14 * 7),
        },
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
    expect(found.findings.map(({ code }) => code)).toEqual(["missing-weight"]);
  });

  it("stands still once all is done, and counts features by the last stage", async () => {
    const steps = [[2, "CLOSED"]] as const;
    const own = await trenches([{ length: 1, block: "A", steps }]);
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

  it("says what a plan lacks", async () => {
    const own = await trenches(four);
    const found = own.progress("STATUS", {
      credits,
      by: "Block",
      plan: plan.filter("d => d.Block === 'A'"),
      at: "2024-03-03",
    });
    expect(found.findings).toMatchObject([
      { code: "empty-plan", count: 1, facts: { rows: [1] } },
      { code: "plan-size", count: 1, facts: { rows: [0] } },
    ]);
    const falling = plan.derive({ value: "d => d.Block === 'B' ? 30 - d.value : d.value" });
    expect(() => own.progress("STATUS", { credits, by: "Block", plan: falling })).toThrow(
      'The plan falls from 30 by "2024-03-10"',
    );
    expect(() => own.progress("STATUS", { credits, by: "site_id", plan })).toThrow('The plan has no column "site_id"');
    expect(() => own.progress("STATUS", { stages: ["OPEN", "DUGG", "CLOSED"] })).toThrow(
      '"STATUS" never had the value "DUGG", which the order names.',
    );
    expect(() => own.progress("STATUS", {})).toThrow("done names no value.");
  });

  it("refuses a report before that is later than the report", async () => {
    const own = await trenches(four);
    const asked = { credits, at: "2024-03-03" };
    expect(() => own.progress("STATUS", { ...asked, since: "2024-04-01" })).toThrow(
      expect.objectContaining({
        code: "ERR_ARGUMENT",
        message: 'since is "2024-04-01", after the day of the report: "2024-03-03".',
      }),
    );
    expect(own.progress("STATUS", { ...asked, since: "2024-03-03" }).array("change")).toEqual([0]);
    expect(() => own.progress("STATUS", { credits, since: "2025-01-02" })).toThrow(
      'since is "2025-01-02", after the day of the report: 2025-01-01T00:00:00.000Z.',
    );
    await expect(progress({ T: own }, { ...asked, since: "2024-04-01" })).rejects.toThrow("T: since is");
  });

  it("adds up what an oracle adds up, and is at the plan's own time", async () => {
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
          const point = day(at);
          const rising = ["A", "B", "C"].flatMap((name, place) => [
            { Block: name, date: day(place), value: 0 },
            { Block: name, date: day(50 + place), value: 100 },
          ]);
          const planned = table({
            Block: rising.map((row) => row.Block),
            date: rising.map((row) => row.date),
            value: rising.map((row) => row.value),
          });
          if (!all.some((one) => one.length !== null)) return;
          const found = own.progress("STATUS", {
            weight: "Length",
            credits: known,
            plan: planned,
            by: "Block",
            at: point,
          });
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

  it("goes by a calendar as againstPlan() and forecast() do", async () => {
    const days = calendar({ timeZone: "UTC", hours: "08:00-16:00", weekend: ["saturday", "sunday"] });
    const all = Array.from({ length: 20 }, (_, at): Drawn => {
      return { length: 2, block: "A", steps: at < 12 ? [[7 * at - 1, "CLOSED"]] : [] };
    });
    const own = await trenches(all);
    const line = table({ date: ["2024-02-29", "2024-07-31"], value: [0, 40] });
    const asked = { done: "CLOSED", weight: "Length", calendar: days } as const;
    const [row] = rowsOf(own.progress("STATUS", { ...asked, plan: line, at: "2024-05-18" }));
    const [variance] = rowsOf(own.againstPlan("STATUS", { ...asked, plan: line, until: "2024-05-18" }));
    expect(row?.["planned"]).toBe(variance?.["planned"]);
    expect(row?.["sv_days"]).toBe(variance?.["variance_days"]);
    const forecasts = own.forecast("STATUS", { ...asked, until: "2024-05-18", trials: 2000, backtests: 0 });
    expect([row?.["p50"], row?.["p80"]]).toEqual(Array.from(forecasts.array("date")).slice(0, 2));
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

  it("predicts nothing where nothing was done in half a year, in working time as in any", async () => {
    const own = await trenches([
      { length: 2, block: "A", steps: [[1, "CLOSED"]] },
      { length: 2, block: "A", steps: [] },
    ]);
    const asked = { done: "CLOSED", weight: "Length" } as const;
    for (const given of [{}, { calendar: calendar({ timeZone: "UTC" }) }]) {
      const [row] = rowsOf(own.progress("STATUS", { ...asked, ...given, at: day(200) }));
      expect(row).toMatchObject({ earned: 2, contracted: 4, p50: null, p80: null });
      const forecasts = own.forecast("STATUS", { ...asked, ...given, until: day(200), weeks: 26, backtests: 0 });
      expect(new Set(forecasts.array("date"))).toEqual(new Set([null]));
    }
  });

  it("predicts when all is done", async () => {
    // One a week, each of 2 m.
    const all = Array.from({ length: 20 }, (_, at): Drawn => {
      return { length: 2, block: "A", steps: at < 12 ? [[7 * at - 1, "CLOSED"]] : [] };
    });
    const own = await trenches(all);
    const found = own.progress("STATUS", { done: "CLOSED", weight: "Length", at: day(77) });
    const [row] = rowsOf(found);
    expect(row).toMatchObject({ earned: 24, contracted: 40 });
    const [p50, p80] = [row?.["p50"] as Date, row?.["p80"] as Date];
    expect(p50.getTime()).toBeGreaterThanOrEqual(day(77 + 8 * 7 - 1).getTime());
    expect(p80.getTime()).toBeGreaterThanOrEqual(p50.getTime());
  });
});

describe("progress", () => {
  it("adds up nothing of which nobody says the unit", async () => {
    const [one, two] = [await trenches(four), await trenches(four)];
    const metres = ({ Length: long }: Readonly<Record<string, unknown>>) => long;
    const asked = { credits, at: "2024-03-03" };
    const found = await progress(
      { A: one, B: two, C: one, D: two },
      { ...asked, weight: { A: metres, B: metres, C: "Length" } },
    );
    expect(found.array("unit")).toEqual([null, null, "m", "features"]);
    expect(rowsOf(found.totals)).toEqual([]);
    expect(found.findings.filter(({ code }) => code === "unknown-unit")).toEqual([
      {
        code: "unknown-unit",
        message: "A, B: nobody says the unit of their weights, and they are in no total.",
        count: 2,
        facts: { components: ["A", "B"] },
      },
    ]);
    const given = await progress({ A: one, B: two }, { ...asked, weight: metres, unit: "m" });
    expect(rowsOf(given.totals)).toMatchObject([{ unit: "m", components: 2, contracted: 120 }]);
    const alone = await progress({ A: one, D: two }, { ...asked, weight: { A: metres } });
    expect(alone.findings.map(({ code }) => code)).not.toContain("unknown-unit");
    expect(one.progress("STATUS", { ...asked, weight: metres }).array("unit")).toEqual([null]);
  });

  it("puts components into one table, and adds up those of one unit", async () => {
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
    expect(found.findings.map(({ message }) => message.split(":")[0])).toEqual(["Trenches", "Cables"]);
    await expect(progress({}, {})).rejects.toThrow("takes histories by component, and got none");
    await expect(progress({ One: one }, { weight: { One: "Length", Tow: "Length" } })).rejects.toThrow(
      'weight is of "Tow", which is no component.',
    );
    const per = [
      { weight: { Trenches: "Length" } },
      { weight: "Length", unit: { Trenches: "m" } },
      { done: { Trenches: "CLOSED" } },
      { stages: { Trenches: ["OPEN", "CLOSED"] } },
      { credits: { Trenches: credits } },
      { plan: { Trenches: plan } },
      { column: { Trenches: "STATUS" } },
      { calendar: { Trenches: { timeZone: "UTC" } } },
    ];
    for (const options of per) {
      const option = Object.keys(options).at(-1);
      await expect(progress({ Trench: one, T: two }, { credits, ...options } as never)).rejects.toMatchObject({
        code: "ERR_ARGUMENT",
        message: `progress(): ${option} is of "Trenches", which is no component.`,
        hint: 'Did you mean "Trench"? There are: "Trench", "T".',
      });
    }
    const whole = { credits, calendar: { timeZone: "UTC" }, at: "2024-03-03" };
    expect((await progress({ T: one }, whole)).array("earned")).toEqual([1.25]);
    await expect(progress({ T: one }, { credits: { OPEN: "0" } as never })).rejects.toThrow(
      'credits: "OPEN" earns "0"',
    );
    await expect(progress({ T: one, Other: two }, { stages: { T: ["OPEN", "CLOSED"] } })).rejects.toMatchObject({
      code: "ERR_ARGUMENT",
      message: 'progress(): stages has nothing for "Other", and nothing else says what is done there.',
      hint: 'Give it, { stages: { "Other": … } }, or leave the component out.',
      facts: { component: "Other" },
    });
    await expect(progress({ One: 5 as never }, {})).rejects.toThrow('"One" is no history, but 5.');
    await expect(progress({ One: one }, { waight: "Length" } as never)).rejects.toThrow(
      'progress() has no option "waight".',
    );
  });
});
