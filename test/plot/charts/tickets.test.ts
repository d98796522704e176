import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import { ageing } from "../../../src/plot/charts/ageing-buckets.js";
import { cycleTimeHistogram, cycleTimeScatter, workInProgress } from "../../../src/plot/charts/ticket-flow.js";
import { fromChanges } from "../../../src/source/from-changes.js";

/** 1 January 2024 was a Monday: one item from Friday to Tuesday, one in progress since the Friday before the last. */
function tickets() {
  const rows = [
    { id: 1, value: "OPEN", time: "2024-01-05T00:00:00Z" },
    { id: 1, value: "CLOSED", time: "2024-01-09T00:00:00Z" },
    { id: 2, value: "OPEN", time: "2024-01-12T00:00:00Z" },
  ];
  return fromChanges(rows, {
    ...{ id: "id", property: "STATUS", value: "value", time: "time", readAt: new Date("2024-01-22T00:00:00Z") },
  });
}

const calendar = { timeZone: "UTC" } as const;

describe("figures of tickets", () => {
  it("count days, or working days by a calendar, and say which", async () => {
    const history = await tickets();
    for (const figure of [cycleTimeScatter, cycleTimeHistogram, workInProgress]) {
      expect(figure(history, "STATUS", { done: "CLOSED" }).outerHTML).toContain("P50 4.0 days");
      expect(figure(history, "STATUS", { done: "CLOSED", calendar }).outerHTML).toContain("P50 2.0 working days");
    }
    const [days, working] = [
      ageing(history, "STATUS", { open: "OPEN" }),
      ageing(history, "STATUS", { open: "OPEN", calendar }),
    ];
    expect(days.outerHTML).toContain("by age in days on 2024-01-22: 0–7 0, &gt;7–30 1");
    expect(working.outerHTML).toContain("by age in working days on 2024-01-22: 0–7 1, &gt;7–30 0");
  });

  it("do not take what they do not draw", async () => {
    const history = await tickets();
    const given = { done: "CLOSED", blocked: "OPEN" } as object;
    expect(() => cycleTimeScatter(history, "STATUS", given)).toThrow(ArgumentError);
    expect(() => ageing(history, "STATUS", { open: "OPEN", blocked: "OPEN" } as object)).toThrow(
      'has no option "blocked"',
    );
  });
});
