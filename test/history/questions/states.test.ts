import { describe, expect, it } from "vitest";
import { feature } from "../../support/records.js";
import { at, historyOf } from "../small-history.js";

describe("states", () => {
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
    ["2024-02-01", "unknown", null],
    ["2024-03-15", "logged", "OPEN"],
    ["2024-04-15", "cleared", null],
    ["2024-05-01", "logged", "CLOSED"],
  ])("on %s are %s", async (date, state, value) => {
    const history = await historyOf(features, log);
    const states = history.states(date).objects();
    expect(states.filter(({ id }) => id === 1)).toEqual([
      expect.objectContaining({ column: "STATUS", state, value }),
      expect.objectContaining({ column: "VOLUME", state: "unchanged", value: 4 }),
    ]);
  });

  it("omit absent features by default", async () => {
    const history = await historyOf(features, log);
    const states = history.states("2024-06-30", { absent: "keep" }).objects();
    expect(states.filter(({ id }) => id === 2).map(({ state }) => state)).toEqual(["absent", "absent"]);
    expect(history.states("2024-06-30").array("id")).toEqual([1, 1]);
  });

  it("have the deciding change, its time and its user", async () => {
    const edits = [
      { ...at("2024-03-01T00:00:00.000001Z", "OPEN", 1), user_id: null, system: true },
      ...log.slice(1, 2),
    ];
    const history = await historyOf(features.slice(0, 1), edits);
    const [status, volume] = history.states("2024-03-15").objects();
    expect(status).toMatchObject({
      visible_id: "F-1",
      change_id: edits[0]?.id,
      changed_at_us: 1_709_251_200_000_001,
      user_id: null,
      system: true,
    });
    expect(volume).toMatchObject({
      change_id: null,
      changed_at: null,
      changed_at_us: null,
      user_id: null,
      system: null,
    });
    expect(history.states("2024-02-01").objects()[0]).toMatchObject({ state: "unknown", change_id: null });
  });
});
