import { describe, expect, it } from "vitest";
import { fromRecords } from "../../../src/source/from-records.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { historyOf, rowsOf } from "../small-history.js";

const features = [
  feature(1, { properties: { STATUS: "CLOSED", VOLUME: 0.1 } }),
  feature(2, { properties: { STATUS: "OPEN", VOLUME: 0.2 }, dataset_id: 2 }),
  feature(3, { properties: { STATUS: "OPEN", VOLUME: "0.3" }, created_at: "2024-07-01T00:00:00Z" }),
];
describe("totals", () => {
  it("sums numbers only, without rounding errors of numbers that are gone", async () => {
    const volume = (n: number, created_at: string, new_value: unknown) =>
      change(n, { property_key: "VOLUME", created_at, new_value });
    const changes = [
      volume(1, "2024-02-01T00:00:00Z", 1e16),
      volume(2, "2024-03-01T00:00:00Z", 0.3),
      volume(3, "2024-04-01T00:00:00Z", "0.4"),
    ];
    const history = await historyOf(features, changes);
    const grid = { from: "2024-01-15", until: "2024-04-15", every: "month" };
    expect(rowsOf(history.totals("VOLUME", grid))).toEqual([
      { date: "2024-01-15", sum: 0.2, count: 1, unknown: 1 },
      { date: "2024-02-15", sum: 1e16, count: 2, unknown: 0 },
      { date: "2024-03-15", sum: 0.5, count: 2, unknown: 0 },
      { date: "2024-04-15", sum: 0.2, count: 1, unknown: 0 },
    ]);
    expect(rowsOf(history.totals("VOLUME", { dates: ["2023-06-01"] }))).toEqual([
      { date: "2023-06-01", sum: 0, count: 0, unknown: 0 },
    ]);
    expect(rowsOf(history.totals("VOLUME", { dates: ["2024-03-15"] }, { by: "dataset_id" }))).toEqual([
      { date: "2024-03-15", dataset_id: 1, sum: 0.3, count: 1, unknown: 0 },
      { date: "2024-03-15", dataset_id: 2, sum: 0.2, count: 1, unknown: 0 },
    ]);
  });
});

describe("totals of a column whose definition has a type", () => {
  const key = uuid(10, "abcdabcd");
  const count = (n: number, new_value: unknown) =>
    change(n, { property_key: key, created_at: `2024-0${n + 1}-01T00:00:00Z`, new_value });
  const ask = (type: string, values: readonly unknown[], changes = [count(1, 5), count(2, 0.5)]) =>
    fromRecords({
      layerFeatures: values.map((value, n) => feature(n + 1, { properties: { [key]: value } })),
      datasets: [dataset(1)],
      propertyDefinitions: [definition(key, "Count", { type })],
      propertyChanges: changes,
    }).history({ site_id: 12 });

  it("sum the values of that type, as in exports and SQL, and report the others", async () => {
    const history = await ask("INTEGER", [0.5, 2, 2.5, "3", null]);
    const dates = ["2024-01-15", "2024-02-15", "2024-03-15"];
    expect(rowsOf(history.totals("Count", dates))).toEqual([
      { date: "2024-01-15", sum: 2, count: 1, unknown: 1 },
      { date: "2024-02-15", sum: 7, count: 2, unknown: 0 },
      { date: "2024-03-15", sum: 2, count: 1, unknown: 0 },
    ]);
    const found = () => history.diagnostics.filter(({ message }) => message.startsWith("totals("));
    expect(found()).toEqual([
      {
        code: "value-type-mismatch",
        severity: "warning",
        message:
          'totals("Count") excludes 7 values at 3 dates that are not of the definition\'s type INTEGER. In exports and SQL, such values are null.',
        count: 7,
        facts: { column: "Count", property_key: key, dates: 3 },
      },
    ]);
    history.totals("Count", ["2023-06-01"]);
    expect(found()).toEqual([]);
  });

  it("sum all numbers unless the type excludes numbers", async () => {
    for (const type of ["FLOAT", "STRING", "NEVER_HEARD_OF"]) {
      const history = await ask(type, [0.5, 2, 2.5], []);
      expect(history.totals("Count", ["2024-06-01"]).array("sum")).toEqual([5]);
      expect(history.diagnostics).toEqual([]);
    }
    const history = await ask("BOOLEAN", [true, 2], []);
    expect(() => history.totals("Count", ["2024-06-01"])).toThrow(
      'totals(): "Count" has no numbers: its definition\'s type is BOOLEAN.',
    );
  });
});

describe("totals of cleared numbers", () => {
  it("are 0", async () => {
    const features = [1, 2, 3, 4, 5].map((id) => feature(id));
    const minute = (n: number) => new Date(Date.UTC(2024, 1, 1, 0, n)).toISOString();
    const set = (layer_feature_id: number, new_value: number | null, n: number) =>
      change(n, { layer_feature_id, property_key: "VOLUME", new_value, created_at: minute(n) });
    const value = (n: number) => (n % 97 === 5 ? 1e300 : ((n * 37) % 101) / 10);
    const log = Array.from({ length: 300 }, (_, n) => set(1 + ((n * n) % 5), value(n), n));
    const cleared = features.map(({ id }) => set(id, null, 300 + id));
    const history = await historyOf(features, [...log, ...cleared]);
    expect(rowsOf(history.totals("VOLUME", { dates: ["2024-03-01"] }))).toEqual([
      { date: "2024-03-01", sum: 0, count: 0, unknown: 0 },
    ]);
  });
});
