import { describe, expect, it } from "vitest";
import { feature } from "../../support/records.js";
import { at, historyOf, rowsOf } from "../small-history.js";

const day = (n: number) => `2024-01-${n}T00:00:00Z`;
const log = [
  at(day(11), "OPEN", 1),
  at(day(13), "OPEN", 2),
  at(day(21), "SKIPPED", 3),
  at(day(21), "CLOSED", 4),
  at(day(26), null, 5),
  at(day(31), "OPEN", 6),
];

describe("durations", () => {
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

  it("have a row for each value of a feature, also while it is unknown or cleared", async () => {
    const history = await historyOf([feature(1)], log.slice(4));
    expect(rowsOf(history.durations("STATUS", { until: day(31) }))).toMatchObject([
      { id: 1, value: null, state: "unknown", days: 25, intervals: 1 },
      { value: null, state: "cleared", days: 5, intervals: 1 },
      { value: "OPEN", state: "logged", days: 0, intervals: 1 },
    ]);
  });
});
