import { describe, expect, test } from "vitest";
import { cornerOf, mapState, restoredState } from "../../../src/browser/map/map-state.js";

const map = { labels: ["OPEN", "CLOSED"] };
const view = { zoom: 4, left: -300, top: -150, width: 400, height: 200, chosen: new Set([1]) };

describe("the state of a map", () => {
  test("has names of labels, ids, and the middle of the view", () => {
    const state = mapState(map, view, [7, "x"], "2024-03-05");
    expect(state).toEqual({
      ...map,
      scale: 4,
      middle: [500 / 1600, 250 / 800],
      date: "2024-03-05",
      chosen: ["CLOSED"],
      ids: ["7", "x"],
      split: undefined,
    });
    expect(cornerOf(state, 400, 200)).toEqual({ zoom: 4, left: -300, top: -150 });
    expect(cornerOf(state, 200, 100)).toEqual({ zoom: 4, left: -150, top: -75 });
  });

  test("is restored after JSON, for a map with the same labels", () => {
    const saved = JSON.parse(JSON.stringify(mapState(map, view, [], undefined)));
    expect(restoredState(saved, map)).toEqual(saved);
    expect(restoredState(saved, { labels: ["OPEN"] })).toBeUndefined();
    expect(restoredState(saved, { labels: ["OPEN,CLOSED"] })).toBeUndefined();
    const middles = [1, [], [0.5], [0, null]].map((middle) => ({ middle }));
    const invalid = [{ scale: "4" }, { scale: 0 }, ...middles, { chosen: {} }, { ids: "7" }, { split: 2 }];
    for (const part of invalid) expect(restoredState({ ...saved, ...part }, map)).toBeUndefined();
    for (const other of [undefined, null, 1, {}]) expect(restoredState(other, map)).toBeUndefined();
  });
});
