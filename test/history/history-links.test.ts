import { describe, expect, it } from "vitest";
import { liveColumns } from "../../src/history/history-links.js";
import { change, feature, uuid } from "../support/records.js";
import { at, historyOf } from "./small-history.js";

describe("liveColumns()", () => {
  const features = [feature(1, { properties: { STATUS: "CLOSED" } }), feature(2)];
  const log = [at("2024-03-01T00:00:00Z", "OPEN", 1), change(2, { property_key: uuid(6, "eeeeeeee"), new_value: 2 })];

  it("has the fields around the properties", async () => {
    const history = await historyOf(features, log);
    const { leading = [], trailing = [] } = liveColumns(history)?.fields ?? {};
    expect([...leading, ...history.columns, ...trailing]).toEqual(history.asOf("2025-01-01").columnNames());
  });

  it("has the values that questions accept: from changes, features and definitions", async () => {
    const history = await historyOf(features, log);
    for (const column of history.columns) {
      const values = new Set(liveColumns(history)?.valuesOf(column));
      expect(values).toEqual(new Set(history.heldValues(column)));
      expect(() => history.aging(column, { open: [...values] })).not.toThrow();
    }
    expect(new Set(liveColumns(history)?.valuesOf("STATUS"))).toEqual(new Set(["OPEN", "CLOSED", null]));
    expect(new Set(liveColumns(history)?.valuesOf("Risk"))).toEqual(new Set([1, 2, null]));
    for (const ask of [() => history.aging("Risk", { open: "Low" }), () => history.firstReached("Risk", "Low")]) {
      expect(ask).toThrow(/ever had (the value )?"Low"/);
    }
    expect(liveColumns(history)?.choiceCount("Risk")).toBe(1);
    expect(liveColumns(history)?.choiceCount("STATUS")).toBe(0);
  });

  it("has the values of fields, and no values of unknown columns", async () => {
    const history = await historyOf(features, log);
    expect([...(liveColumns(history)?.valuesOf("visible_id") ?? [])]).toEqual(["F-1", "F-2"]);
    expect([...(liveColumns(history)?.valuesOf("Nope") ?? [])]).toEqual([]);
  });

  it("is undefined for other objects", () => {
    expect(liveColumns({})).toBeUndefined();
  });
});
