import { describe, expect, it } from "vitest";
import { feature } from "../../support/records.js";
import { at, historyOf, rowsOf } from "../small-history.js";

describe("transitions", () => {
  it("count pairs of values, the most frequent first, with the median of the time before", async () => {
    const day = (n: number) => `2024-01-${n}T00:00:00Z`;
    const log = [
      at(day(11), "OPEN", 1),
      at(day(13), "OPEN", 2),
      at(day(21), "SKIPPED", 3),
      at(day(21), "CLOSED", 4),
      at(day(26), null, 5),
      at(day(31), "OPEN", 6),
    ];
    const history = await historyOf([feature(1)], log);
    expect(rowsOf(history.transitions("STATUS"))).toEqual([
      { from: null, to: "OPEN", count: 1, median_days: 5 },
      { from: "CLOSED", to: null, count: 1, median_days: 5 },
      { from: "OPEN", to: "CLOSED", count: 1, median_days: 10 },
    ]);
  });

  it("have `backward` by an order, null for values that are missing in it", async () => {
    const log = [
      at("2024-01-11T00:00:00Z", "OPEN", 1),
      { ...at("2024-01-21T00:00:00.000001Z", "CLOSED", 2), user_id: 7, system: false },
      { ...at("2024-01-26T00:00:00.000001Z", "OPEN", 3), user_id: null, system: true },
      at("2024-01-27T00:00:00Z", null, 4),
    ];
    const history = await historyOf([feature(1)], log);
    const transitions = history.transitions("STATUS", { order: ["OPEN", "CLOSED"] });
    expect(rowsOf(transitions).map(({ from, to, backward }) => [from, to, backward])).toEqual([
      ["CLOSED", "OPEN", true],
      ["OPEN", null, null],
      ["OPEN", "CLOSED", false],
    ]);
  });
});
