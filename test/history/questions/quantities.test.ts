import { table } from "arquero";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import { findingsOf } from "../../../src/core/finding.js";
import type { History } from "../../../src/layer/layer.js";
import { fromRecords } from "../../../src/source/from-records.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { rowsOf } from "../small-history.js";

const length = uuid(1, "aaaaaaaa");
const name = uuid(2, "bbbbbbbb");

/** Three trenches of 10, 20 and 30 m and one whose length nobody knows, which are dug and closed one after the other. */
function trenches(lengths: readonly unknown[] = [10, 20, 30, null]) {
  const layerFeatures = lengths.map((value, at) =>
    feature(at + 1, {
      created_at: "2024-01-01T00:00:00Z",
      properties: { [length]: value, [name]: `T${at + 1}` },
      geometry: {
        type: "LineString",
        coordinates: [
          [0, 0],
          [0, (at + 1) / 111_195],
        ],
      },
    }),
  );
  const stage = (id: number, n: number, day: string, new_value: string) =>
    change(n, { layer_feature_id: id, created_at: `2024-03-${day}T00:00:00Z`, new_value });
  const source = fromRecords(
    {
      layerFeatures,
      datasets: [dataset(1)],
      propertyDefinitions: [
        definition(length, "Length", { type: "FLOAT", config: { unit: "m" } }),
        definition(name, "Name", { type: "STRING" }),
      ],
      propertyChanges: [
        ...lengths.map((_, at) =>
          change(20 + at, { layer_feature_id: at + 1, created_at: "2024-01-01T00:00:00Z", new_value: "OPEN" }),
        ),
        stage(1, 1, "01", "DUG"),
        stage(2, 2, "02", "DUG"),
        stage(1, 3, "03", "CLOSED"),
      ],
    },
    { readAt: new Date("2025-01-01T00:00:00Z") },
  );
  return source.layer({ site_id: 12 });
}

async function history(lengths?: readonly unknown[]): Promise<History> {
  return (await trenches(lengths)).history();
}

const grid = ["2024-02-29", "2024-03-01", "2024-03-03"];
const credits = { OPEN: 0, DUG: 0.25, CLOSED: 1 };

describe("weights", () => {
  it("are added up with what was counted, and missing ones are told", async () => {
    const counts = (await history()).counts("STATUS", grid, { weight: "Length", credits });
    expect(rowsOf(counts)).toEqual([
      row("2024-02-29", "OPEN", 4, 60, 3, 0),
      row("2024-03-01", "DUG", 1, 10, 1, 2.5),
      row("2024-03-01", "OPEN", 3, 50, 2, 0),
      row("2024-03-03", "CLOSED", 1, 10, 1, 10),
      row("2024-03-03", "DUG", 1, 20, 1, 5),
      row("2024-03-03", "OPEN", 2, 30, 1, 0),
    ]);
    expect(findingsOf(counts)).toEqual([
      {
        code: "missing-weight",
        message: 'One feature has no "Length", such as id 4, and is in no quantity.'.replace("One", "1"),
        count: 1,
        facts: { weight: '"Length"', ids: [4] },
      },
    ]);
  });

  it("are of the same date, as totals are", async () => {
    const source = fromRecords(
      {
        layerFeatures: [feature(1, { created_at: "2024-01-01T00:00:00Z", properties: { [length]: 12, STATUS: "A" } })],
        datasets: [dataset(1)],
        propertyDefinitions: [definition(length, "Length", { type: "FLOAT" })],
        propertyChanges: [
          change(1, { property_key: length, created_at: "2024-02-01T00:00:00Z", new_value: 10 }),
          change(2, { property_key: length, created_at: "2024-04-01T00:00:00Z", new_value: 12 }),
        ],
      },
      { readAt: new Date("2025-01-01T00:00:00Z") },
    );
    const one = await source.history({ site_id: 12 });
    const dates = ["2024-01-15", "2024-03-01", "2024-05-01"];
    const counts = one.counts("STATUS", dates, { weight: "Length" });
    expect(counts.array("quantity")).toEqual([0, 10, 12]);
    expect(counts.array("unit")).toEqual(["Length", "Length", "Length"]);
    expect([...one.totals("Length", dates).array("sum")]).toEqual([0, 10, 12]);
    expect(findingsOf(counts)).toMatchObject([{ code: "missing-weight", count: 1 }]);
  });

  it("can be a length, a function, and columns that a layer derives or follows", async () => {
    const layer = await trenches();
    const derived = layer.derive("Price", ({ Length: long }) => (long === null ? null : Number(long) * 3), {
      unit: "€",
    });
    expect(derived.schema.find(({ column }) => column === "Price")).toMatchObject({
      source: "derived",
      unit: "€",
      nulls: 1,
    });
    expect(derived.table.columnNames().indexOf("Price")).toBeLessThan(
      derived.table.columnNames().indexOf("semantic_type"),
    );
    const at = (own: History, weight: string | ((row: Readonly<Record<string, unknown>>) => unknown)) => {
      const sums = own.totals("STATUS", ["2024-03-03"], { weight, credits });
      return [sums.get("sum", 0), sums.get("unit", 0)];
    };
    expect(at(await derived.history(), "Price")).toEqual([45, "€"]);
    expect(at(await history(), ({ Length: long, id }) => Number(long) * Number(id))).toEqual([20, "weight"]);
    const [sum, unit] = at(await history(), "length");
    expect(sum).toBeCloseTo(1 + 2 / 4, 3);
    expect(unit).toBe("m");
    const models = (await trenches([5, 6, 7, 8])).derive("Cable", ({ Length: long }) => long, { unit: "m" });
    const linked = layer.derive("Model", ({ id }) => id).follow("Model", models, ["Cable"]);
    expect(linked.added).toEqual(["Model", "Cable"]);
    expect(at(await linked.history(), "Cable")).toEqual([5 + 6 * 0.25, "m"]);
    expect(() => layer.derive("Length", () => 1)).toThrow('The layer has a column "Length" already.');
    expect(() => layer.derive("", () => 1)).toThrow(ArgumentError);
  });

  it("that are none are refused, or left out with their ids", async () => {
    const own = await history([10, -20, null, 5]);
    const counts = own.counts("STATUS", ["2024-02-29"], { weight: "Length" });
    expect(rowsOf(counts)).toMatchObject([{ count: 4, quantity: 15, weighted: 2 }]);
    expect(findingsOf(counts)).toMatchObject([
      { code: "missing-weight", facts: { ids: [3] } },
      { code: "invalid-weight", facts: { ids: [2] } },
    ]);
    const odd = own.counts("STATUS", ["2024-02-29"], {
      weight: ({ id }) => (id === 1 ? 5 : id === 2 ? Number.NaN : undefined),
    });
    expect(findingsOf(odd)).toMatchObject([
      { code: "missing-weight", facts: { ids: [3, 4] } },
      { code: "invalid-weight", facts: { ids: [2] } },
    ]);
    const refused = (options: object) => () => own.counts("STATUS", grid, options);
    expect(refused({ weight: "Name" })).toThrow(
      '"Name" has no number that a feature could weigh: its values are negative or no numbers.',
    );
    expect(refused({ weight: "Lenght" })).toThrow('weight: there is no column "Lenght".');
    expect(refused({ weight: "Length", unit: "km" })).toThrow('"Length" is in m, and unit says "km".');
    expect(refused({ unit: "km" })).toThrow("unit is of weights");
    expect(refused({ weight: "area" })).toThrow(
      "area has no number that a feature could weigh: of each of 4 features it is missing, negative or no number, such as null of row 0.",
    );
    expect(refused({ weight: (row: Readonly<Record<string, unknown>>) => row["Lngth"] })).toThrow(
      expect.objectContaining({
        code: "ERR_ARGUMENT",
        message: expect.stringContaining("weight has no number that a feature could weigh: of each of 4 features"),
        hint: expect.stringContaining('The row has "Length", "Name", "STATUS"'),
      }),
    );
    expect(refused({ weight: () => "much" })).toThrow("no number, such as a string of 4 characters of row 0.");
    expect(refused({ weight: () => Number.NaN })).toThrow("no number, such as NaN of row 0.");
    const asked = { done: "CLOSED", weight: () => null, plan: table({ date: ["2024-03-01"], value: [1] }) };
    for (const call of ["againstPlan", "progress"] as const)
      expect(() => own[call]("STATUS", asked)).toThrow("weight has no number");
    expect(refused({ weight: 5 })).toThrow(
      'weight takes the name of a column, "length", "area" or a function of a row',
    );
  });
});

describe("credits", () => {
  it("are judged: shares, stages, and what they leave out", async () => {
    const own = await history();
    const refused = (given: object) => () => own.counts("STATUS", grid, { credits: given as typeof credits });
    expect(refused({ DUG: 30 })).toThrow(
      expect.objectContaining({
        message: 'credits: "DUG" earns 30, and a share is from 0 to 1.',
        hint: "Of 30 % the share is 0.3.",
      }),
    );
    expect(refused({ DUG: -1 })).toThrow('credits: "DUG" earns -1, and a share is from 0 to 1.');
    expect(refused({ DUGG: 1 })).toThrow(
      expect.objectContaining({ message: '"STATUS" never had the value "DUGG".', hint: "It had 3 values." }),
    );
    expect(refused({})).toThrow("credits names no stage.");
    const counts = own.counts("STATUS", ["2024-03-03"], { credits: { CLOSED: 1, DUG: 0.5 } });
    expect(counts.array("earned")).toEqual([1, 0.5, 0]);
    expect(findingsOf(counts)).toMatchObject([
      { code: "uncredited-stage", count: 1, message: expect.stringMatching(/^1 value of "STATUS" is not/) },
    ]);
  });

  it("are told row by row in a panel", async () => {
    const own = await history();
    const panel = own.panel(["2024-03-03"], { columns: ["STATUS"], weight: "Length", credits });
    expect(panel.array("weight")).toEqual([10, 20, 30, null]);
    expect(panel.array("earned")).toEqual([10, 5, 0, null]);
    expect(panel.array("unit")).toEqual(["m", "m", "m", "m"]);
    expect(own.panel(["2024-03-03"], { stage: "STATUS", credits }).array("earned")).toEqual([1, 0.25, 0, 0]);
    expect(() => own.panel(grid, { credits })).toThrow("credits are of the values of a column, and none is named");
    expect(() => own.panel(grid, { stage: "STATUS" })).toThrow("stage needs credits");
  });
});

describe("againstPlan and forecast of quantities", () => {
  const plan = table({ date: ["2024-02-29", "2024-03-10"], value: [0, 60] });

  it("compare what was earned with a plan in the same unit", async () => {
    const own = await history();
    const variance = own.againstPlan("STATUS", { plan, weight: "Length", credits, until: "2024-03-03" });
    // 10 m closed and a quarter of 20 m; the plan goes up 6 m a day, and was at 15 m half a day before the end of the third.
    expect(rowsOf(variance)).toEqual([
      {
        date: new Date("2024-03-04T00:00:00Z"),
        ...{ done: 15, planned: 18, total: 60, percent_done: 25, percent_planned: 30, variance_percent: -5 },
        variance_days: -0.5,
      },
    ]);
    expect(variance.unit).toBe("m");
    expect(variance.findings).toMatchObject([{ code: "missing-weight" }]);
    const done = own.againstPlan("STATUS", { plan, weight: "Length", done: "CLOSED", until: "2024-03-03" });
    expect(done.get("done", 0)).toBe(10);
    expect(() => own.againstPlan("STATUS", { plan, credits, done: "CLOSED" })).toThrow("takes done or credits");
  });

  it("say when a plan is of another size", async () => {
    const own = await history();
    const variance = own.againstPlan("STATUS", { plan, done: "CLOSED" });
    expect(variance.findings).toEqual([
      {
        code: "plan-size",
        message:
          "The plan comes to 60, and what it is compared with to 4 features. Is it a plan of quantities, which needs a weight, or of a part?",
        facts: { plan: 60, total: 4, unit: "features" },
      },
    ]);
    expect(own.againstPlan("STATUS", { plan, done: "CLOSED", weight: "Length" }).findings).toMatchObject([
      { code: "missing-weight" },
    ]);
  });

  it("refuses a part of a feature as the total", async () => {
    const own = await history();
    expect(() => own.againstPlan("STATUS", { plan, done: "CLOSED", total: 1.5 })).toThrow(
      "againstPlan(): total takes an integer from 1, but got 1.5.",
    );
    const half = { plan, done: "CLOSED", weight: "Length", total: 37.5, until: "2024-03-03" };
    expect(own.againstPlan("STATUS", half).get("percent_done", 0)).toBeCloseTo(100 * (10 / 37.5));
  });

  it("is all done whatever the digits of weights", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 30 }),
        async (all) => {
          const features = all.map((value, at) => feature(at + 1, { properties: { VOLUME: value } }));
          const done = all.map((_, at) =>
            change(at + 1, {
              layer_feature_id: at + 1,
              created_at: `2024-03-${String(1 + ((at * 7) % 28)).padStart(2, "0")}T00:00:00Z`,
              new_value: "DONE",
            }),
          );
          const source = fromRecords({
            layerFeatures: features,
            propertyChanges: done,
            datasets: [dataset(1)],
            propertyDefinitions: [],
          });
          const own = await source.history({ site_id: 12 });
          const variance = own.againstPlan("STATUS", { plan, done: "DONE", weight: "VOLUME" });
          expect(variance.get("done", 0)).toBe(variance.get("total", 0));
          const exact = all.reduce((sum, value) => sum + value, 0);
          expect(variance.get("total", 0)).toBeCloseTo(exact, 5);
        },
      ),
    );
  });

  it("forecasts like features where each weighs the same", async () => {
    const features = Array.from({ length: 60 }, (_, at) =>
      feature(at + 1, { created_at: "2024-01-01T00:00:00Z", properties: { VOLUME: 2.5 } }),
    );
    const closed = Array.from({ length: 40 }, (_, at) =>
      change(at + 1, {
        layer_feature_id: at + 1,
        created_at: new Date(Date.UTC(2024, 0, 1) + at * at * 86_400_000 * 0.06).toISOString(),
        new_value: "CLOSED",
      }),
    );
    const source = fromRecords({
      layerFeatures: features,
      propertyChanges: closed,
      datasets: [dataset(1)],
      propertyDefinitions: [],
    });
    const own = await source.history({ site_id: 12 });
    const options = { done: "CLOSED", until: "2024-04-10", trials: 500 };
    const [counted, weighed] = [
      own.forecast("STATUS", options),
      own.forecast("STATUS", { ...options, weight: "VOLUME", unit: "MW" }),
    ];
    expect(weighed.array("date")).toEqual(counted.array("date"));
    expect(weighed.array("kept")).toEqual(counted.array("kept"));
    expect([weighed.done, weighed.total, weighed.unit]).toEqual([counted.done * 2.5, 150, "MW"]);
    const all = own.forecast("STATUS", { credits: { CLOSED: 1 }, until: "2024-04-10", trials: 500 });
    expect(all.array("date")).toEqual(counted.array("date"));
  });
});

function row(date: string, value: string, count: number, quantity: number, weighted: number, earned: number) {
  return { date, state: "logged", value, count, quantity, weighted, unit: "m", earned };
}
