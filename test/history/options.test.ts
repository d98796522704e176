import { describe, expect, it } from "vitest";
import type { History } from "../../src/history/history.js";
import { feature } from "../support/records.js";
import { at, historyOf } from "./small-history.js";

const small = () =>
  historyOf(
    [feature(1, { properties: { STATUS: "CLOSED", VOLUME: 2 } })],
    [at("2024-03-01T08:00:00Z", "OPEN", 1), at("2024-04-01T08:00:00Z", "CLOSED", 2)],
  );

/** A call as JavaScript makes it, where no compiler reads the options. */
function call(history: History, name: keyof History, ...given: readonly unknown[]): unknown {
  return Reflect.apply(history[name] as (...given: readonly unknown[]) => unknown, history, given);
}

describe("slips in the options of a history", () => {
  it.each<[keyof History, readonly unknown[], string]>([
    ["asOf", ["2024-03-15", { column: ["STATUS"] }], 'asOf() has no option "column". Did you mean columns?'],
    ["asOf", ["2024-03-15", { unknown: "backfil" }], 'got "backfil". Did you mean "backfill"?'],
    ["asOf", ["2024-03-15", { absent: true }], 'absent takes "drop" or "keep", but got true.'],
    ["asOf", ["2024-03-15", { columns: ["STATSU"] }], 'no property column "STATSU". Did you mean "STATUS"?'],
    ["states", ["2024-03-15", { Absent: "keep" }], "Did you mean absent?"],
    ["panel", [["2024-03-15"], { colums: ["STATUS"] }], "Did you mean columns?"],
    ["counts", ["STATUS", ["2024-03-15"], { By: "STATUS" }], "Did you mean by?"],
    ["totals", ["VOLUME", ["2024-03-15"], { per: "STATUS" }], "It takes: by, weight, unit, credits."],
    ["durations", ["STATUS", { untill: "2024-05-01" }], "Did you mean until?"],
    ["steps", ["STATUS", { odrer: ["OPEN"] }], "Did you mean order?"],
    ["transitions", ["STATUS", { order: "option" }], 'Did you mean "options"?'],
    [
      "totals",
      ["STATUS", ["2024-03-15"]],
      'totals() adds up numbers, and "STATUS" has none: it holds a string of 4 characters.',
    ],
    ["counts", ["STATUS", { from: "2024-05-01", to: "2024-03-01", every: "month" }], "before it begins"],
  ])("%s(%j)", async (name, given, said) => {
    const history = await small();
    let error: unknown;
    try {
      call(history, name, ...given);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: "ERR_ARGUMENT" });
    expect(String(error)).toContain(said);
  });
});

describe("a question about a time after the log was read", () => {
  it.each([["2025-01-02"], ["2025-01-01T00:00:00.000001Z"], [new Date("2030-01-01T00:00:00Z")]])(
    "%s is a finding",
    async (time) => {
      const history = await small();
      expect(history.asOf(time).get("STATUS", 0)).toBe("CLOSED");
      expect(history.findings).toMatchObject([{ code: "beyond-reading", facts: { asked: time } }]);
      history.states("2031-01-01");
      expect(history.findings).toMatchObject([{ facts: { asked: "2031-01-01" } }]);
    },
  );

  it.each([["2025-01-01"], ["2025-01-01T00:00:00Z"], ["2024-12-31"]])("%s is none", async (time) => {
    const history = await small();
    history.asOf(time);
    expect(history.findings).toEqual([]);
  });
});
