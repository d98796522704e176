import { table } from "arquero";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diagnosticsOf } from "../../../src/core/diagnostic.js";
import { ArgumentError } from "../../../src/core/errors.js";
import type { History } from "../../../src/layer/layer.js";
import { fromRecords } from "../../../src/source/from-records.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { historyOf, rowsOf } from "../small-history.js";

const length = uuid(1, "aaaaaaaa");
const name = uuid(2, "bbbbbbbb");

/** Three trenches of 10, 20 and 30 m and a trench of unknown length, which are dug and closed one after the other. */
function trenches(lengths: readonly unknown[] = [10, 20, 30, null]) {
  const layerFeatures = lengths.map((value, at) =>
    feature(at + 1, {
      created_at: "2024-01-01T00:00:00Z",
      properties: { [length]: value, [name]: `T${at + 1}` },
      geometry: { type: "LineString", coordinates: [0, (at + 1) / 111_195].map((north) => [0, north]) },
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
  it("are summed with the counts, and missing weights are reported", async () => {
    const counts = (await history()).counts("STATUS", grid, { weight: "Length", credits });
    expect(rowsOf(counts)).toEqual([
      row("2024-02-29", "OPEN", 4, 60, 3, 0),
      row("2024-03-01", "DUG", 1, 10, 1, 2.5),
      row("2024-03-01", "OPEN", 3, 50, 2, 0),
      row("2024-03-03", "CLOSED", 1, 10, 1, 10),
      row("2024-03-03", "DUG", 1, 20, 1, 5),
      row("2024-03-03", "OPEN", 2, 30, 1, 0),
    ]);
    expect(diagnosticsOf(counts)).toEqual([
      {
        code: "weight-missing",
        severity: "warning",
        message: '1 feature has no "Length", such as id 4, and is excluded from all quantities.',
        count: 1,
        facts: { weight: '"Length"', ids: [4] },
      },
    ]);
  });

  it("are values as of the same date, as in totals", async () => {
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
    expect(diagnosticsOf(counts)).toMatchObject([{ code: "weight-missing", count: 1 }]);
  });

  it("can be a length, a function, and derived or related columns", async () => {
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
    const totalOf = (own: History, weight: string | ((row: Readonly<Record<string, unknown>>) => unknown)) => {
      const sums = own.totals("STATUS", ["2024-03-03"], { weight, credits });
      return [sums.get("sum", 0), sums.get("unit", 0)];
    };
    expect(totalOf(await derived.history(), "Price")).toEqual([45, "€"]);
    expect(totalOf(await history(), ({ Length: long, id }) => Number(long) * Number(id))).toEqual([20, "weight"]);
    const [sum, unit] = totalOf(await history(), "length");
    expect(sum).toBeCloseTo(1 + 2 / 4, 3);
    expect(unit).toBe("m");
    const models = (await trenches([5, 6, 7, 8])).derive("Cable", ({ Length: long }) => long, { unit: "m" });
    const linked = layer.derive("Model", ({ id }) => id).lookup("Model", models, ["Cable"]);
    expect(linked.added).toEqual(["Model", "Cable"]);
    expect(totalOf(await linked.history(), "Cable")).toEqual([5 + 6 * 0.25, "m"]);
    expect(() => layer.derive("Length", () => 1)).toThrow('derive(): the layer already has a column "Length".');
    expect(() => layer.derive("", () => 1)).toThrow(ArgumentError);
  });

  it("that are invalid are refused, or omitted with their ids", async () => {
    const own = await history([10, -20, null, 5]);
    const counts = own.counts("STATUS", ["2024-02-29"], { weight: "Length" });
    expect(rowsOf(counts)).toMatchObject([{ count: 4, quantity: 15, weighted: 2 }]);
    expect(diagnosticsOf(counts)).toMatchObject([
      { code: "weight-missing", facts: { ids: [3] } },
      { code: "weight-invalid", facts: { ids: [2] } },
    ]);
    const odd = own.counts("STATUS", ["2024-02-29"], {
      weight: ({ id }) => (id === 1 ? 5 : id === 2 ? Number.NaN : undefined),
    });
    expect(diagnosticsOf(odd)).toMatchObject([
      { code: "weight-missing", facts: { ids: [3, 4] } },
      { code: "weight-invalid", facts: { ids: [2] } },
    ]);
    const refused = (options: object) => () => own.counts("STATUS", grid, options);
    expect(refused({ weight: "Name" })).toThrow('"Name" cannot be a weight: its values are negative or not numbers.');
    expect(refused({ weight: "Lenght" })).toThrow('weight: unknown column "Lenght".');
    expect(refused({ weight: "Length", unit: "km" })).toThrow('`unit` is "km", but "Length" is in m.');
    expect(refused({ unit: "km" })).toThrow('`unit` is "km", but `weight` is missing.');
    expect(refused({ weight: "area" })).toThrow(
      "area cannot be a weight: it is missing, negative or not a number for all 4 features, for example null in row 0.",
    );
    expect(refused({ weight: (row: Readonly<Record<string, unknown>>) => row["Lngth"] })).toThrow(
      expect.objectContaining({
        code: "ERR_ARGUMENT",
        message: expect.stringContaining(
          "counts(): the result of `weight` cannot be a weight: it is missing, negative or not a number for all 4 features",
        ),
        hint: expect.stringContaining('The row has "Length", "Name", "STATUS"'),
      }),
    );
    expect(refused({ weight: () => "much" })).toThrow("for example a string of 4 characters in row 0.");
    expect(refused({ weight: () => Number.NaN })).toThrow("for example NaN in row 0.");
    const asked = { done: "CLOSED", weight: () => null, plan: table({ date: ["2024-03-01"], value: [1] }) };
    for (const call of ["planVariance", "progress"] as const)
      expect(() => own[call]("STATUS", asked)).toThrow("the result of `weight` cannot be a weight");
    expect(refused({ weight: 5 })).toThrow(
      'weight must be the name of a column, "length", "area" or a function of a row',
    );
  });
});

describe("credits", () => {
  it("are shares of known stages, and other values are reported", async () => {
    const own = await history();
    const refused = (given: object) => () => own.counts("STATUS", grid, { credits: given as typeof credits });
    expect(refused({ DUG: 30 })).toThrow(
      expect.objectContaining({
        message: 'counts(): credits: invalid share 30 of "DUG". Shares must be from 0 to 1.',
        hint: "Write 30 % as 0.3.",
      }),
    );
    expect(refused({ DUG: -1 })).toThrow('invalid share -1 of "DUG". Shares must be from 0 to 1.');
    expect(refused({ DUGG: 1 })).toThrow(
      expect.objectContaining({ message: 'counts(): "STATUS" never had the value "DUGG".', hint: "It had 3 values." }),
    );
    expect(refused({})).toThrow("`credits` is empty.");
    const counts = own.counts("STATUS", ["2024-03-03"], { credits: { CLOSED: 1, DUG: 0.5 } });
    expect(counts.array("earned")).toEqual([1, 0.5, 0]);
    expect(diagnosticsOf(counts)).toMatchObject([
      { code: "stage-uncredited", count: 1, message: expect.stringMatching(/^1 value of "STATUS" is missing/) },
    ]);
  });

  it("are columns of a panel", async () => {
    const own = await history();
    const panel = own.panel(["2024-03-03"], { columns: ["STATUS"], weight: "Length", credits });
    expect(panel.array("weight")).toEqual([10, 20, 30, null]);
    expect(panel.array("earned")).toEqual([10, 5, 0, null]);
    expect(panel.array("unit")).toEqual(["m", "m", "m", "m"]);
    expect(own.panel(["2024-03-03"], { stage: "STATUS", credits }).array("earned")).toEqual([1, 0.25, 0, 0]);
    expect(() => own.panel(grid, { credits })).toThrow("`credits` needs `stage`");
    expect(() => own.panel(grid, { stage: "STATUS" })).toThrow("`stage` needs `credits`");
  });
});

describe("planVariance and forecast of quantities", () => {
  const plan = table({ date: ["2024-02-29", "2024-03-10"], value: [0, 60] });

  it("compare earned quantities with a plan in the same unit", async () => {
    const own = await history();
    const variance = own.planVariance("STATUS", { plan, weight: "Length", credits, until: "2024-03-03" });
    // 10 m closed and a quarter of 20 m; the plan goes up 6 m a day, and was at 15 m half a day before the end of the third.
    expect(rowsOf(variance)).toEqual([
      {
        date: new Date("2024-03-04T00:00:00Z"),
        ...{ done: 15, planned: 18, total: 60, percent_done: 25, percent_planned: 30, variance_percent: -5 },
        variance_days: -0.5,
      },
    ]);
    expect(variance.unit).toBe("m");
    expect(variance.diagnostics).toMatchObject([{ code: "weight-missing" }]);
    const done = own.planVariance("STATUS", { plan, weight: "Length", done: "CLOSED", until: "2024-03-03" });
    expect(done.get("done", 0)).toBe(10);
    expect(() => own.planVariance("STATUS", { plan, credits, done: "CLOSED" })).toThrow(
      "`done` and `credits` cannot be combined",
    );
  });

  it("report a plan of another size", async () => {
    const own = await history();
    const variance = own.planVariance("STATUS", { plan, done: "CLOSED" });
    expect(variance.diagnostics).toEqual([
      {
        code: "plan-size-differs",
        severity: "warning",
        message:
          "The plan ends at 60, but the total is 4 features. If it plans quantities, pass `weight`. Check whether it covers the same features.",
        facts: { plan: 60, total: 4, unit: "features" },
      },
    ]);
    expect(own.planVariance("STATUS", { plan, done: "CLOSED", weight: "Length" }).diagnostics).toMatchObject([
      { code: "weight-missing" },
    ]);
  });

  it("refuse a fractional total of features", async () => {
    const own = await history();
    expect(() => own.planVariance("STATUS", { plan, done: "CLOSED", total: 1.5 })).toThrow(
      "planVariance(): total must be an integer of at least 1, but got 1.5.",
    );
    const half = { plan, done: "CLOSED", weight: "Length", total: 37.5, until: "2024-03-03" };
    expect(own.planVariance("STATUS", half).get("percent_done", 0)).toBeCloseTo(100 * (10 / 37.5));
  });

  it("are complete for weights with any digits", async () => {
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
          const own = await historyOf(features, done);
          const variance = own.planVariance("STATUS", { plan, done: "DONE", weight: "VOLUME" });
          expect(variance.get("done", 0)).toBe(variance.get("total", 0));
          const exact = all.reduce((sum, value) => sum + value, 0);
          expect(variance.get("total", 0)).toBeCloseTo(exact, 5);
        },
      ),
    );
  });

  it("forecast like features for equal weights", async () => {
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
    const own = await historyOf(features, closed);
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
