import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import { feature, uuid } from "../../support/records.js";
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
