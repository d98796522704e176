import { describe, expect, it } from "vitest";
import { liveColumns } from "../../src/history/live-columns.js";
import { change, feature, uuid } from "../support/records.js";
import { at, historyOf } from "./small-history.js";

describe("what a history remembers of its columns", () => {
  const features = [feature(1, { properties: { STATUS: "CLOSED" } }), feature(2)];
  const log = [at("2024-03-01T00:00:00Z", "OPEN", 1), change(2, { property_key: uuid(6, "eeeeeeee"), new_value: 2 })];

  it("are the fields that stand around its properties", async () => {
    const history = await historyOf(features, log);
    const { leading = [], trailing = [] } = liveColumns(history)?.fields ?? {};
    expect([...leading, ...history.columns, ...trailing]).toEqual(history.asOf("2025-01-01").columnNames());
  });

  it("are the values that its questions take: of changes, features and definitions", async () => {
    const history = await historyOf(features, log);
    for (const column of history.columns) {
      const values = new Set(liveColumns(history)?.valuesOf(column));
      expect(values).toEqual(new Set(history.heldValues(column)));
      expect(() => history.ageing(column, { open: [...values] })).not.toThrow();
    }
    expect(new Set(liveColumns(history)?.valuesOf("STATUS"))).toEqual(new Set(["OPEN", "CLOSED", null]));
    expect(new Set(liveColumns(history)?.valuesOf("Risk"))).toEqual(new Set([1, 2, null]));
    for (const ask of [() => history.ageing("Risk", { open: "Low" }), () => history.reached("Risk", "Low")]) {
      expect(ask).toThrow(/ever had (the value )?"Low"/);
    }
    expect(liveColumns(history)?.choiceCount("Risk")).toBe(1);
    expect(liveColumns(history)?.choiceCount("STATUS")).toBe(0);
  });

  it("are the values of a field, and none of what it does not have", async () => {
    const history = await historyOf(features, log);
    expect([...(liveColumns(history)?.valuesOf("visible_id") ?? [])]).toEqual(["F-1", "F-2"]);
    expect([...(liveColumns(history)?.valuesOf("Nope") ?? [])]).toEqual([]);
  });

  it("is nothing of what is no history", () => {
    expect(liveColumns({})).toBeUndefined();
  });
});
