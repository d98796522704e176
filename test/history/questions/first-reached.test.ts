import { describe, expect, it } from "vitest";
import { change, feature, uuid } from "../../support/records.js";
import { at, historyOf, rowsOf } from "../small-history.js";

const log = [
  at("2024-01-11T00:00:00Z", "OPEN", 1),
  at("2024-01-21T00:00:00.000001Z", "CLOSED", 2),
  at("2024-01-26T00:00:00Z", "OPEN", 3),
  at("2024-01-27T00:00:00Z", "CLOSED", 4),
  change(5, { layer_feature_id: 3, new_value: "OPEN", created_at: "2024-02-01T00:00:00Z" }),
];
const small = () =>
  historyOf([feature(1), feature(2, { properties: { STATUS: "CLOSED" } }), feature(3, { visible_id: "F-3" })], log);

describe("reached", () => {
  it("has the first time of the value, which is null for unchanged features", async () => {
    const closed = (await small()).firstReached("STATUS", "CLOSED");
    expect(closed.columnNames()).toEqual(["id", "visible_id", "reached_at", "change_id", "reached_at_us"]);
    expect(rowsOf(closed)).toMatchObject([
      {
        ...{ id: 1, reached_at: new Date("2024-01-21T00:00:00Z"), change_id: uuid(2) },
        reached_at_us: 1_705_795_200_000_001,
      },
      { id: 2, reached_at: null, change_id: null, reached_at_us: null },
    ]);
    expect((await small()).firstReached("STATUS", "OPEN").array("id")).toEqual([1, 3]);
  });

  it("respects knownAt(), and is empty for options that no feature had", async () => {
    // The ids of these changes are of 1970.
    const features = [1, 2].map((id) =>
      feature(id, { created_at: "1970-01-01T00:00:00Z", properties: { STATUS: "CLOSED" } }),
    );
    const history = await historyOf(features, log);
    expect(history.knownAt(uuid(1)).firstReached("STATUS", "CLOSED").array("id")).toEqual([2]);
    expect((await small()).knownAt(uuid(1)).firstReached("STATUS", "CLOSED").array("id")).toEqual([]);
    const risk = change(1, { property_key: uuid(6, "eeeeeeee"), new_value: 3, created_at: "2024-01-11T00:00:00Z" });
    expect((await historyOf([feature(1)], [risk])).firstReached("Risk", 1).numRows()).toBe(0);
  });

  it("refuses a value that no feature ever had, without quoting others", async () => {
    const history = await small();
    expect(() => history.firstReached("STATUS", "CLOSD")).toThrow(
      expect.objectContaining({
        code: "ERR_ARGUMENT",
        message: 'firstReached(): "STATUS" never had the value "CLOSD".',
        hint: "It had 2 values.",
      }),
    );
    expect(() => history.firstReached("STATUS", 7)).toThrow(expect.objectContaining({ hint: "It had 2 values." }));
    expect(() => history.firstReached("STATUS", undefined)).toThrow("`value` is missing");
    expect(() => history.firstReached("STATSU", "OPEN")).toThrow("STATSU");
  });
});
