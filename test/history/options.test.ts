import { describe, expect, it } from "vitest";
import type { History } from "../../src/history/history.js";
import { feature } from "../support/records.js";
import { refusal } from "../support/refusal.js";
import { at, historyOf } from "./small-history.js";

const small = () =>
  historyOf(
    [feature(1, { properties: { STATUS: "CLOSED", VOLUME: 2 } })],
    [at("2024-03-01T08:00:00Z", "OPEN", 1), at("2024-04-01T08:00:00Z", "CLOSED", 2)],
  );

/** A call without types, as JavaScript makes it. */
function call(history: History, name: keyof History, ...given: readonly unknown[]): unknown {
  return Reflect.apply(history[name] as (...given: readonly unknown[]) => unknown, history, given);
}

describe("misspelled options of a history", () => {
  it.each<[keyof History, readonly unknown[], string]>([
    ["asOf", ["2024-03-15", { column: ["STATUS"] }], 'asOf() has no option "column". Did you mean columns?'],
    ["asOf", ["2024-03-15", { fillUnknown: "backfil" }], 'got "backfil". Did you mean "backfill"?'],
    ["asOf", ["2024-03-15", { absent: true }], 'absent must be "drop" or "keep", but got true.'],
    ["asOf", ["2024-03-15", { columns: ["STATSU"] }], 'unknown property column "STATSU". Did you mean "STATUS"?'],
    ["states", ["2024-03-15", { Absent: "keep" }], "Did you mean absent?"],
    ["panel", [["2024-03-15"], { colums: ["STATUS"] }], "Did you mean columns?"],
    ["counts", ["STATUS", ["2024-03-15"], { By: "STATUS" }], "Did you mean by?"],
    ["totals", ["VOLUME", ["2024-03-15"], { per: "STATUS" }], "Options: by, weight, unit, credits."],
    ["durations", ["STATUS", { untill: "2024-05-01" }], "Did you mean until?"],
    ["steps", ["STATUS", { odrer: ["OPEN"] }], "Did you mean order?"],
    ["transitions", ["STATUS", { order: "option" }], 'Did you mean "options"?'],
    ["totals", ["STATUS", ["2024-03-15"]], 'totals(): "STATUS" has no numbers: it holds a string of 4 characters.'],
    ["counts", ["STATUS", { from: "2024-05-01", until: "2024-03-01", every: "month" }], "before `from`"],
  ])("%s() refuses %j", async (name, given, message) => {
    const history = await small();
    expect(refusal(() => call(history, name, ...given))).toContain(message);
  });
});

describe("a time after the log was read", () => {
  it.each<[Date | string, boolean]>([
    ["2024-12-31", false],
    ["2025-01-01", false],
    ["2025-01-01T00:00:00Z", false],
    ["2025-01-01T00:00:00.000001Z", true],
    ["2025-01-02", true],
    [new Date("2030-01-01T00:00:00Z"), true],
  ])("%s is a diagnostic: %s", async (time, isAfter) => {
    const history = await small();
    expect(history.asOf(time).get("STATUS", 0)).toBe("CLOSED");
    expect(history.diagnostics).toMatchObject(isAfter ? [{ code: "date-after-read", facts: { asked: time } }] : []);
    expect(history.diagnostics).toHaveLength(Number(isAfter));
  });
});
