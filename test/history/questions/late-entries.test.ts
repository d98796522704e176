import { describe, expect, it } from "vitest";
import { change, feature, uuidAt } from "../../support/records.js";
import { historyOf, rowsOf } from "../small-history.js";

describe("lateEntries", () => {
  const recorded = (time: string, n: number, version = 7) => uuidAt(Date.parse(time), n, version);
  const made = (created_at: string, id: string) => change(1, { id, created_at });
  const log = [
    made("2024-03-01T00:00:00Z", recorded("2024-03-01T00:00:01Z", 1)),
    made("2024-03-02T00:00:00Z", recorded("2024-03-09T00:00:00Z", 2)),
    made("2024-03-03T00:00:00Z", recorded("2024-03-11T12:00:00Z", 3)),
    // The clock is ahead.
    made("2024-04-03T00:00:00Z", recorded("2024-03-12T00:00:00Z", 4)),
  ];

  it("lists changes that were recorded late, even if no newer change preceded them", async () => {
    const history = await historyOf([feature(1)], log);
    expect(history.lateEdits().numRows()).toBe(0);
    expect(rowsOf(history.lateEntries({ moreThan: "P7D" }))).toMatchObject([
      { change_id: log[2]?.id, recorded_at: new Date("2024-03-11T12:00:00Z"), late_by_days: 8.5 },
    ]);
    const late = (moreThan?: string) =>
      history.lateEntries(moreThan === undefined ? {} : { moreThan }).array("late_by_days");
    expect([late(), late("P1W"), late("P8DT12H"), late("PT1S")]).toEqual([[7, 8.5], [8.5], [], [7, 8.5]]);
    expect(late("PT0S")).toEqual([1 / 86_400, 7, 8.5]);
    expect(history.changes().get("recorded_at", 0)).toEqual(new Date("2024-03-01T00:00:01Z"));
  });

  it("reports ids without a time, and throws if no id has one", async () => {
    const other = made("2024-03-01T00:00:00Z", recorded("2024-05-01T00:00:00Z", 9, 4));
    const history = await historyOf([feature(1)], [...log, other]);
    expect(history.lateEntries().numRows()).toBe(2);
    expect(history.diagnostics).toContainEqual(
      expect.objectContaining({
        code: "recording-time-unknown",
        count: 1,
        message: expect.stringMatching(/^1 of 5 changes has an id without a time of recording/),
      }),
    );
    expect(history.changes().array("recorded_at")).toContain(null);
    const none = await historyOf([feature(1)], [other]);
    expect(() => none.lateEntries()).toThrow(
      "the id of change 018f3173-7000-4000-8000-000000000009 is not a UUIDv7 and has no insertion time",
    );
    expect(() => none.lateEntries()).toThrow(expect.objectContaining({ hint: expect.stringContaining("lateEdits()") }));
    expect((await historyOf([feature(1)], [])).lateEntries().numRows()).toBe(0);
  });

  it.each(["P1M", "P1Y", "-P1D", "a week", "", 7, null])("refuses the length of time %j", async (moreThan) => {
    const history = await historyOf([feature(1)], log);
    expect(() => history.lateEntries({ moreThan } as never)).toThrow("lateEntries(): invalid duration");
  });
});
