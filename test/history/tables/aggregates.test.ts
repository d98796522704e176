import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import { fromRecords } from "../../../src/source/from-records.js";
import { change, dataset, definition, feature, uuid } from "../../support/records.js";
import { at, historyOf, rowsOf } from "../small-history.js";

const features = [
  feature(1, { properties: { STATUS: "CLOSED", VOLUME: 0.1 } }),
  feature(2, { properties: { STATUS: "OPEN", VOLUME: 0.2 }, dataset_id: 2 }),
  feature(3, { properties: { STATUS: "OPEN", VOLUME: "0.3" }, created_at: "2024-07-01T00:00:00Z" }),
];
const log = [at("2024-03-01T00:00:00Z", "OPEN", 1), at("2024-05-01T00:00:00Z", null, 2)];

describe("counts", () => {
  it("distinguishes unknown, cleared and unchanged values, and omits absent features", async () => {
    const history = await historyOf(features, log);
    expect(rowsOf(history.counts("STATUS", { dates: ["2024-02-01", "2024-04-01", "2024-08-01"] }))).toEqual([
      { date: "2024-02-01", state: "unchanged", value: "OPEN", count: 1 },
      { date: "2024-02-01", state: "unknown", value: null, count: 1 },
      { date: "2024-04-01", state: "logged", value: "OPEN", count: 1 },
      { date: "2024-04-01", state: "unchanged", value: "OPEN", count: 1 },
      { date: "2024-08-01", state: "cleared", value: null, count: 1 },
      { date: "2024-08-01", state: "unchanged", value: "OPEN", count: 2 },
    ]);
  });

  it("orders values: null, booleans, numbers, strings, then arrays and objects", async () => {
    const values = [null, false, true, 2, 10, "a", "b", ["a"], { a: 1 }];
    const shuffled = [5, 8, 2, 0, 7, 4, 6, 1, 3].map((index, n) =>
      feature(n + 1, { properties: { VOLUME: values[index] } }),
    );
    const counts = (await historyOf(shuffled, [])).counts("VOLUME", { dates: ["2024-04-01"] });
    expect(counts.array("value")).toEqual(values);
  });

  it("groups by a base field or a property as of the same date", async () => {
    const history = await historyOf(features, log);
    const grid = { dates: ["2024-04-01"] };
    expect(rowsOf(history.counts("VOLUME", grid, { by: "dataset_id" }))).toEqual([
      { date: "2024-04-01", dataset_id: 1, state: "unchanged", value: 0.1, count: 1 },
      { date: "2024-04-01", dataset_id: 2, state: "unchanged", value: 0.2, count: 1 },
    ]);
    expect(history.counts("VOLUME", grid, { by: "created_at" }).array("created_at")).toEqual([
      new Date("2024-01-01T00:00:00Z"),
      new Date("2024-01-01T00:00:00Z"),
    ]);
    expect(history.counts("VOLUME", { dates: ["2024-02-01"] }, { by: "STATUS" }).array("STATUS")).toEqual([
      null,
      "OPEN",
    ]);
    expect(() => history.counts("VOLUME", grid, { by: "Nope" })).toThrow(ArgumentError);
    expect(() => history.counts("Nope", grid)).toThrow(/Nope/);
  });

  it("renames a group that has the name of another column", async () => {
    const history = await historyOf([feature(1, { properties: { [uuid(9, "abcdabcd")]: 5, STATUS: "a" } })], []);
    expect(rowsOf(history.counts("STATUS", { dates: ["2024-02-01"] }, { by: "value" }))).toEqual([
      { date: "2024-02-01", "properties.value": 5, state: "unchanged", value: "a", count: 1 },
    ]);
  });
});

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

describe("intervals, durations and transitions", () => {
  const day = (n: number) => `2024-01-${n}T00:00:00Z`;
  const log = [
    at(day(11), "OPEN", 1),
    at(day(13), "OPEN", 2),
    at(day(21), "SKIPPED", 3),
    at(day(21), "CLOSED", 4),
    at(day(26), null, 5),
    at(day(31), "OPEN", 6),
  ];

  it("join equal neighbors, omit empty intervals and show the unknown beginning", async () => {
    const history = await historyOf([feature(1)], log);
    expect(rowsOf(history.intervals("STATUS"))).toMatchObject([
      { state: "unknown", value: null, valid_from: new Date("2024-01-01T00:00:00Z"), change_id: null },
      { state: "logged", value: "OPEN", valid_from: new Date(day(11)), change_id: uuid(1) },
      { state: "logged", value: "CLOSED", valid_from: new Date(day(21)), change_id: uuid(4) },
      { state: "cleared", value: null, valid_to: new Date(day(31)), change_id: uuid(5) },
      { state: "logged", value: "OPEN", valid_to: null, change_id: uuid(6) },
    ]);
    expect(rowsOf(history.transitions("STATUS"))).toEqual([
      { from: null, to: "OPEN", count: 1, median_days: 5 },
      { from: "CLOSED", to: null, count: 1, median_days: 5 },
      { from: "OPEN", to: "CLOSED", count: 1, median_days: 10 },
    ]);
  });

  it.each([
    [{}, { value: "OPEN", state: "logged", days: 346, intervals: 2 }],
    [{ until: "2024-01-31" }, { days: 11, intervals: 2 }],
    [{ until: day(31) }, { days: 10, intervals: 2 }],
    [{ until: "2024-01-30T23:59:59.999999Z" }, { days: 10, intervals: 1 }],
  ])("add up intervals with %j", async (options, row) => {
    const history = await historyOf([feature(1)], log);
    const rows = rowsOf(history.durations("STATUS", options));
    expect(rows.find(({ value }) => value === "OPEN")).toMatchObject(row);
  });
});
