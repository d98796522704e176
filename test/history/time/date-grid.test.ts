import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import type { Dates } from "../../../src/history/time/date-grid.js";
import { feature } from "../../support/records.js";
import { at, historyOf, rowsOf } from "../small-history.js";

const dates = async (grid: Dates, timeZone = "UTC") => {
  const history = await historyOf([feature(1, { created_at: "2000-01-01T00:00:00Z" })], [], { timeZone });
  return history.panel(grid).array("date");
};

describe("a grid of dates", () => {
  it.each([
    ["month", "2025-01-31", "2025-05-31", ["2025-01-31", "2025-02-28", "2025-03-31", "2025-04-30", "2025-05-31"]],
    ["quarter", "2024-11-30", "2025-08-30", ["2024-11-30", "2025-02-28", "2025-05-30", "2025-08-30"]],
    ["year", "2024-02-29", "2028-02-29", ["2024-02-29", "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"]],
    ["week", "2024-12-23", "2025-01-08", ["2024-12-23", "2024-12-30", "2025-01-06"]],
    ["day", "2024-02-28", "2024-03-01", ["2024-02-28", "2024-02-29", "2024-03-01"]],
    ["P10D", "2025-01-01", "2025-01-20", ["2025-01-01", "2025-01-11"]],
    ["P1M", "2025-03-01", "2025-03-01", ["2025-03-01"]],
    ["year", "9998-06-30", "9999-12-31", ["9998-06-30", "9999-06-30"]],
  ])("steps by %s from %s to %s", async (every, from, to, expected) => {
    expect(await dates({ from, until: to, every })).toEqual(expected);
  });

  it("may be a list of dates in any order, with duplicates", async () => {
    const asked = ["2025-02-01", new Date("2024-01-01T00:00:00Z"), "2025-02-01", "2024-01-01T00:00:00+14:00"];
    const history = await historyOf([feature(1, { properties: { STATUS: "OPEN", VOLUME: 2 } })], []);
    for (const list of [asked, []]) {
      expect(await dates(list)).toEqual(list);
      expect(await dates({ dates: list })).toEqual(list);
    }
    for (const by of [undefined, "STATUS"]) {
      const options = by === undefined ? {} : { by };
      const [counts, totals] = [history.counts("STATUS", asked, options), history.totals("VOLUME", asked, options)];
      expect(rowsOf(counts)).toEqual(rowsOf(history.counts("STATUS", { dates: asked }, options)));
      expect(rowsOf(totals)).toEqual(rowsOf(history.totals("VOLUME", { dates: asked }, options)));
    }
    expect(history.totals("VOLUME", ["2025-02-01"]).array("sum")).toEqual([2]);
  });

  it("refuses options of the call", async () => {
    const history = await historyOf([feature(1, { properties: { STATUS: "OPEN" } })], []);
    const steps = { from: "2025-01-31", until: "2025-03-31", every: "month" };
    for (const grid of [
      { dates: ["2025-01-31"], by: "STATUS" },
      { ...steps, by: "STATUS" },
    ]) {
      expect(() => history.counts("STATUS", grid)).toThrow(
        expect.objectContaining({
          message: expect.stringMatching(/^\w+\(\): unknown option "by" of the dates\.$/),
          hint: 'Pass options of the call after the dates: counts("STATUS", dates, { by: … }).',
        }),
      );
    }
    const slipped = { ...steps, fromm: "2025-01-01" };
    expect(() => history.counts("STATUS", slipped)).toThrow(expect.objectContaining({ hint: "Did you mean from?" }));
    expect(() => history.counts("STATUS", { dates: ["2025-01-31"], every: "month" } as Dates)).toThrow(
      expect.objectContaining({ hint: "Pass either dates, or from, until and every." }),
    );
    const absent = { ...steps, by: undefined };
    expect(history.counts("STATUS", absent).numRows()).toBe(3);
  });

  it("keeps the local time across days of 23 and 25 hours", async () => {
    const spring = { from: "2025-03-29T11:00:00Z", until: "2025-03-31T23:00:00Z", every: "day" };
    expect(await dates(spring, "Europe/Berlin")).toEqual([
      "2025-03-29T11:00:00Z",
      "2025-03-30T10:00:00Z",
      "2025-03-31T10:00:00Z",
    ]);
    const autumn = { from: new Date("2025-10-25T10:00:00Z"), until: "2025-10-26", every: "day" };
    expect(await dates(autumn, "Europe/Berlin")).toEqual([
      new Date("2025-10-25T10:00:00Z"),
      new Date("2025-10-26T11:00:00Z"),
    ]);
    expect(await dates({ ...spring, every: "PT24H" }, "Europe/Berlin")).toEqual([
      "2025-03-29T11:00:00Z",
      "2025-03-30T11:00:00Z",
      "2025-03-31T11:00:00Z",
    ]);
  });

  it.each([
    ["Europe/Berlin", "2025-03-30", "2025-03-30T21:59:59.999999Z", "2025-03-30T22:00:00Z"],
    ["Europe/Berlin", "2025-10-26", "2025-10-26T22:59:59.999999Z", "2025-10-26T23:00:00Z"],
    ["America/St_Johns", "2025-07-01", "2025-07-02T02:29:59.999999Z", "2025-07-02T02:30:00Z"],
    ["Pacific/Kiritimati", "2025-07-01", "2025-07-01T09:59:59.999999Z", "2025-07-01T10:00:00Z"],
    ["Africa/Cairo", "2023-04-27", "2023-04-27T21:59:59.999999Z", "2023-04-27T22:00:00Z"],
  ])("ends a day in %s at its own midnight", async (timeZone, day, last, next) => {
    const history = await historyOf([feature(1)], [at(last, "in", 1), at(next, "out", 2)], { timeZone });
    expect(history.asOf(day).get("STATUS", 0)).toBe("in");
  });

  it.each<[string, unknown]>([
    ["a zero step", { from: "2025-01-01", until: "2025-02-01", every: "P0D" }],
    ["a step back", { from: "2025-01-01", until: "2025-02-01", every: "-P1D" }],
    ["no duration", { from: "2025-01-01", until: "2025-02-01", every: "fortnight" }],
    ["no step", { from: "2025-01-01", to: "2025-02-01" }],
    ["hours between calendar dates", { from: "2025-01-01", until: "2025-02-01", every: "PT6H" }],
    ["nanoseconds", { from: "2025-01-01T00:00:00Z", until: "2025-02-01", every: "PT0.000000001S" }],
    ["an end before the beginning", { from: "2025-03-01", until: "2025-02-01", every: "P1M" }],
    ["a date that does not exist", { from: "2025-02-30", until: "2025-03-01", every: "day" }],
    ["an end that does not exist", { from: "2025-01-01", until: "2025-02-30", every: "day" }],
    ["too many dates", { from: "2025-01-01T00:00:00Z", until: "2025-02-01", every: "PT0.001S" }],
    ["dates that are not a list", { dates: "2025-01-01" }],
    ["a date alone", "2025-01-01"],
    ["a list with a number", ["2025-01-01", 5]],
    ["a list with a date that does not exist", ["2025-02-30"]],
    ["nothing", undefined],
  ])("refuses %s", async (_, grid) => {
    await expect(dates(grid as Dates)).rejects.toThrow(ArgumentError);
  });
});
