import { table } from "arquero";
import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import { calendar } from "../../../src/index.js";
import { change, feature } from "../../support/records.js";
import { at, historyOf, rowsOf } from "../small-history.js";

/** Eight hours a day; of 2024, 20 December was a Friday. */
const offices = {
  timeZone: "UTC",
  hours: "08:00-16:00",
  holidays: [{ date: "2024-12-24", hours: "08:00-12:00" }, "2024-12-25", "2025-01-06"],
} as const;
const working = { calendar: calendar(offices) };

const small = () =>
  historyOf(
    [feature(1, { created_at: "2024-12-20T15:00:00Z" })],
    [
      at("2024-12-20T15:00:00Z", "OPEN", 1),
      at("2024-12-23T10:00:00Z", "CLOSED", 2),
      at("2024-12-28T00:00:00Z", "OPEN", 3),
      at("2024-12-27T12:00:00Z", "BLOCKED", 4),
    ],
  );

describe("questions by a calendar", () => {
  it("have durations in working days and hours, until the reading if open", async () => {
    const history = await small();
    const rows = rowsOf(history.durations("STATUS", working));
    expect(rows).toMatchObject([
      { value: "OPEN", days: 2.375, hours: 19, intervals: 2 },
      { value: "CLOSED", days: 2.75, hours: 22, intervals: 1 },
      { value: "BLOCKED", days: 0.5, hours: 4, intervals: 1 },
    ]);
    expect(rowsOf(history.durations("STATUS", { calendar: offices }))).toEqual(rows);
    expect(history.durations("STATUS").columnNames()).not.toContain("hours");
    const early = history.durations("STATUS", { ...working, until: "2024-12-30" });
    expect(early.object()).toMatchObject({ days: 1.375, hours: 11 });
  });

  it("have steps and late edits in working days and hours", async () => {
    const history = await small();
    const steps = rowsOf(history.steps("STATUS", working)).map(({ to, days, hours }) => [to, days, hours]);
    expect(steps).toEqual([
      ["CLOSED", 0.375, 3],
      ["BLOCKED", 2.75, 22],
      ["OPEN", 0.5, 4],
    ]);
    expect(rowsOf(history.lateEdits(working))).toMatchObject([
      { value: "BLOCKED", late_by_days: 0.5, late_by_hours: 4 },
    ]);
  });

  it("estimate survival in working days", async () => {
    const history = await small();
    const survival = history.survival("STATUS", { start: "OPEN", done: "CLOSED", ...working });
    expect(survival.array("days")).toEqual([0, 0.375, 2]);
    expect(survival.array("survival")).toEqual([1, 0.5, 0.5]);
    expect(survival.medians.get("median_days", 0)).toBe(0.375);
  });

  it("omit late entries that end before the first working hour", async () => {
    const created = { created_at: "2024-12-02T08:00:00Z" };
    const history = await historyOf(
      [feature(1, created), feature(2, created)],
      [
        at("2024-12-21T10:00:00Z", "OPEN", 1),
        at("2024-12-22T10:00:00Z", "CLOSED", 2),
        change(3, { layer_feature_id: 2, created_at: "2024-12-02T08:00:00Z", new_value: "OPEN" }),
        change(4, { layer_feature_id: 2, created_at: "2024-12-31T08:00:00Z", new_value: "CLOSED" }),
      ],
    );
    const options = { start: "OPEN", done: "CLOSED" };
    expect(history.survival("STATUS", options).medians.get("left_out", 0)).toBe(0);
    const survival = history.survival("STATUS", { ...options, ...working });
    expect(rowsOf(survival.medians)).toMatchObject([{ spells: 1, left_out: 1, events: 1 }]);
    expect(survival.diagnostics).toMatchObject([{ code: "start-unknown", count: 1 }]);
    expect([...(survival.array("survival") as Iterable<number>)].every(Number.isFinite)).toBe(true);
  });

  it("advance plans in working time only", async () => {
    const history = await small();
    const plan = table({ date: ["2024-12-20", "2024-12-30"], value: [0, 6] });
    const weekdays = { calendar: calendar({ timeZone: "UTC" }) };
    const asked = { done: "CLOSED", plan, until: "2024-12-22" };
    expect(() => history.planVariance("STATUS", { ...asked, done: "CLOSD" })).toThrow(ArgumentError);
    expect(rowsOf(history.planVariance("STATUS", asked))).toMatchObject([{ planned: 1.2, variance_days: -2 }]);
    // On Sunday evening none of six working days is over.
    expect(rowsOf(history.planVariance("STATUS", { ...asked, ...weekdays }))).toMatchObject([
      { planned: 0, variance_days: 0 },
    ]);
    const later = { ...asked, done: "BLOCKED", until: "2024-12-25", ...weekdays };
    const row = rowsOf(history.planVariance("STATUS", later))[0];
    expect(row).toMatchObject({ done: 0, planned: 3, variance_days: -3 });
    expect(history.planVariance("STATUS", later).plan.array("date")).toEqual([
      new Date("2024-12-21T00:00:00Z"),
      new Date("2024-12-31T00:00:00Z"),
    ]);
  });

  it("forecast in weeks of working days, with dates in working time", async () => {
    const features = Array.from({ length: 20 }, (_, n) => feature(n + 1, { created_at: "2024-10-01T00:00:00Z" }));
    const closed = Array.from({ length: 12 }, (_, week) =>
      change(week + 1, {
        layer_feature_id: week + 1,
        created_at: new Date(Date.UTC(2024, 9, 9 + 7 * week, 12)).toISOString(),
        new_value: "CLOSED",
      }),
    );
    const history = await historyOf(features, closed);
    const options = { done: "CLOSED", total: 14, trials: 100, backtests: 2 };
    const plain = history.forecast("STATUS", options);
    expect(plain.array("date")).toEqual(Array(3).fill(new Date("2025-01-15T00:00:00Z")));
    const weekdays = { timeZone: "UTC", hours: "08:00-16:00" };
    const forecast = history.forecast("STATUS", { ...options, calendar: weekdays });
    expect(forecast.array("weeks")).toEqual([2, 2, 2]);
    expect(forecast.array("date")).toEqual(Array(3).fill(new Date("2025-01-14T16:00:00Z")));
    const holiday = { ...weekdays, holidays: ["2025-01-06"] };
    const later = history.forecast("STATUS", { ...options, calendar: holiday });
    expect(later.array("date")).toEqual(Array(3).fill(new Date("2025-01-15T16:00:00Z")));
    expect(later.fan.array("date")).toEqual([
      new Date("2025-01-01T00:00:00Z"),
      new Date("2025-01-08T16:00:00Z"),
      new Date("2025-01-15T16:00:00Z"),
    ]);
  });

  it("refuse invalid calendars", async () => {
    const history = await small();
    expect(() => history.durations("STATUS", { calendar: "Europe/Berlin" as never })).toThrow(
      "calendar must be what calendar() gives, or its options",
    );
    expect(() => history.steps("STATUS", { calendar: { timeZone: "Europe/Berlni" } })).toThrow(
      "calendar(): unknown time zone",
    );
  });
});
