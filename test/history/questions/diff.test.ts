import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import { feature } from "../../support/records.js";
import { at, historyOf, rowsOf } from "../small-history.js";

describe("diff", () => {
  it("lists what was changed, and features that appeared", async () => {
    const features = [feature(1), feature(2, { properties: { STATUS: "NEW" }, created_at: "2024-03-15T00:00:00Z" })];
    const log = [
      at("2024-02-01T00:00:00Z", "a", 1),
      at("2024-03-10T00:00:00Z", "b", 2),
      at("2024-03-11T00:00:00Z", "a", 3),
    ];
    const history = await historyOf(features, log);
    expect(rowsOf(history.diff("2024-03-01", "2024-03-31"))).toMatchObject([
      { id: 1, column: "STATUS", before: "a", after: "a", before_state: "logged", after_state: "logged", changes: 2 },
      { id: 2, before: null, after: "NEW", before_state: "absent", after_state: "unchanged", changes: 0 },
    ]);
    expect(history.diff("2024-03-31", "2024-03-31").numRows()).toBe(0);
    expect(() => history.diff("2024-03-31", "2024-03-01")).toThrow(ArgumentError);
  });

  it("lists features that disappeared only if they existed before, and cells without a logged value", async () => {
    const features = [
      feature(1, { properties: { STATUS: "a", VOLUME: 4 } }),
      feature(2, { properties: { STATUS: "b" }, created_at: "2024-04-01T00:00:00Z" }),
    ];
    const history = await historyOf(features, [at("2024-03-10T00:00:00Z", null, 1)]);
    expect(rowsOf(history.diff("2024-03-01", "2024-03-31"))).toMatchObject([
      {
        id: 1,
        column: "STATUS",
        before: null,
        after: null,
        before_state: "unknown",
        after_state: "cleared",
        changes: 1,
      },
    ]);
  });
});
