import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import { feature } from "../../support/records.js";
import { at, historyOf, rowsOf } from "../small-history.js";

describe("panel", () => {
  it("has a row for each date as requested and each feature that existed then", async () => {
    const features = [
      feature(1, { properties: { STATUS: "CLOSED" } }),
      feature(2, { properties: { STATUS: "NEW" }, created_at: "2024-03-15T00:00:00Z" }),
    ];
    const history = await historyOf(features, [
      at("2024-02-01T00:00:00Z", "OPEN", 1),
      at("2024-03-10T00:00:00Z", null, 2),
      at("2024-03-20T00:00:00Z", "CLOSED", 3),
    ]);
    const dates = ["2024-03-31", "2024-01-15", "2024-02-15", "2024-03-15"];
    const rows = rowsOf(history.panel(dates, { columns: ["STATUS"] }));
    expect(rows.map(({ date, id, STATUS }) => [date, id, STATUS])).toEqual([
      ["2024-03-31", 1, "CLOSED"],
      ["2024-03-31", 2, "NEW"],
      ["2024-01-15", 1, null],
      ["2024-02-15", 1, "OPEN"],
      ["2024-03-15", 1, null],
      ["2024-03-15", 2, "NEW"],
    ]);
  });

  it("renames a property that has the name of another column", async () => {
    const properties = { "abcdabcd-0000-7000-8000-000000000008": "due" };
    const history = await historyOf([feature(1, { properties })], []);
    expect(rowsOf(history.panel({ dates: ["2025-01-01"] }))).toEqual([
      { date: "2025-01-01", id: 1, visible_id: "F-1", "properties.date": "due" },
    ]);
    expect(history.panel({ dates: [] }, { columns: ["date"] }).columnNames()).toContain("properties.date");
    expect(() => history.panel({ dates: [] }, { columns: ["properties.date"] })).toThrow(ArgumentError);
  });

  it("has all columns without rows", async () => {
    const history = await historyOf([], []);
    expect(history.panel({ dates: ["2025-01-01"] }).columnNames()).toEqual(["date", "id", "visible_id"]);
  });
});
