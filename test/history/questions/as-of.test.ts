import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../../src/core/errors.js";
import { change, feature } from "../../support/records.js";
import { at, historyOf } from "../small-history.js";

describe("asOf", () => {
  const features = [
    feature(1, { properties: { STATUS: "CLOSED", VOLUME: 4 } }),
    feature(2, { properties: { STATUS: "OPEN" }, created_at: "2024-07-01T00:00:00Z" }),
  ];
  const log = [
    at("2024-03-01T00:00:00Z", "OPEN", 1),
    at("2024-04-01T00:00:00Z", null, 2),
    at("2024-05-01T00:00:00Z", "CLOSED", 3),
  ];

  it.each([
    ["2024-02-01", null],
    ["2024-03-15", "OPEN"],
    ["2024-04-15", null],
    ["2024-05-01", "CLOSED"],
  ])("on %s has the value %s", async (date, value) => {
    const history = await historyOf(features, log);
    expect(history.asOf(date).object()).toMatchObject({ id: 1, STATUS: value, VOLUME: 4 });
  });

  it("omits absent features and has null for unknown values, by default", async () => {
    const history = await historyOf(features, log);
    expect(history.asOf("2024-06-30").array("id")).toEqual([1]);
    expect(history.asOf("2024-07-01").array("id")).toEqual([1, 2]);
    expect(history.asOf("2024-02-01", { fillUnknown: "backfill" }).get("STATUS", 0)).toBe("OPEN");
    expect(history.asOf("2024-06-30", { absent: "keep" }).objects()[1]).toMatchObject({ id: 2, STATUS: null });
  });

  it("counts a feature as present after a change of any property, even before its creation", async () => {
    const early = change(9, { layer_feature_id: 2, property_key: "VOLUME", created_at: "2024-06-01T00:00:00Z" });
    const history = await historyOf(features, [early], { columns: ["STATUS"] });
    expect(history.asOf("2024-06-15").array("id")).toEqual([1, 2]);
  });

  it("includes an instant itself, to the microsecond, and breaks ties by id", async () => {
    const history = await historyOf(
      [feature(1)],
      [
        at("2024-03-01T00:00:00.000002Z", "b", 1),
        at("2024-03-01T00:00:00.000001Z", "a", 3),
        at("2024-03-01T00:00:00.000002Z", "c", 2),
      ],
    );
    expect(history.asOf("2024-03-01T00:00:00.000001Z").get("STATUS", 0)).toBe("a");
    expect(history.asOf("2024-03-01T00:00:00.000002Z").get("STATUS", 0)).toBe("c");
    expect(history.asOf(new Date("2024-03-01T00:00:00.001Z")).get("STATUS", 0)).toBe("c");
    expect(history.changes().array("value")).toEqual(["a", "b", "c"]);
    expect(history.changes().array("previous")).toEqual([null, "a", "b"]);
    expect(history.changes().array("seq")).toEqual([2, 0, 1]);
  });

  it.each(["2025-02-30", "yesterday", "2025-06-30T10:00:00", "", new Date(Number.NaN)])(
    "refuses the time %j",
    async (time) => {
      const history = await historyOf([feature(1)], []);
      expect(() => history.asOf(time)).toThrow(ArgumentError);
    },
  );

  it("refuses unknown columns and zones", async () => {
    await expect(historyOf([feature(1)], [], { timeZone: "Mars/Olympus" })).rejects.toThrow(/Mars/);
    await expect(historyOf([feature(1)], [], { columns: ["Nope"] })).rejects.toThrow(ArgumentError);
  });
});
