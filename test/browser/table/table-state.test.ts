import { describe, expect, test } from "vitest";
import {
  firstState,
  isFiltered,
  movedTo,
  questionOf,
  restoredState,
  sortedBy,
  withValue,
} from "../../../src/browser/table/table-state.js";

const first = firstState([{ name: "id" }, { name: "STATUS" }, { name: "LOSS" }]);

describe("the state of a table", () => {
  test("sorts ascending, descending and not, and keeps other columns on request", () => {
    const up = { ...first, sorts: sortedBy(first, 2, false) };
    expect(up.sorts).toEqual([[2, 1]]);
    const down = { ...up, sorts: sortedBy(up, 2, false) };
    expect(down.sorts).toEqual([[2, -1]]);
    expect(sortedBy(down, 2, false)).toEqual([]);
    expect(sortedBy(down, 0, false)).toEqual([[0, 1]]);
    const both = { ...down, sorts: sortedBy(down, 0, true) };
    expect(both.sorts).toEqual([
      [2, -1],
      [0, 1],
    ]);
    expect(sortedBy(both, 2, true)).toEqual([[0, 1]]);
  });

  test("moves columns within the visible ones", () => {
    expect(movedTo(first, 0, 1)).toEqual([1, 0, 2]);
    expect(movedTo(first, 0, 9)).toEqual([1, 2, 0]);
    expect(movedTo(first, 2, -1)).toEqual([2, 0, 1]);
  });

  test("asks for sorted, filtered and found rows", () => {
    const state = {
      ...first,
      sorts: [[2, -1]] as const,
      typed: withValue({}, 2, { words: "< 5" }),
      clicked: withValue({}, 1, { value: "OPEN" }),
      find: " plain  text ",
      shown: [1, 2],
    };
    expect(isFiltered(first)).toBe(false);
    expect(isFiltered(state)).toBe(true);
    expect(questionOf(state, [{ column: 0, values: ["7"] }])).toEqual({
      order: [[2, -1]],
      filter: [
        { column: 1, value: "OPEN" },
        { column: 2, words: "< 5" },
        { column: 0, values: ["7"] },
      ],
      find: { words: ["plain", "text"], columns: [1, 2] },
    });
    expect(isFiltered({ ...state, typed: withValue(state.typed, 2), clicked: {}, find: " " })).toBe(false);
  });

  test("is restored after JSON, for a table with the same columns", () => {
    const saved = JSON.parse(JSON.stringify({ ...first, sorts: [[1, 1]], widths: { 1: 300 }, top: 40 }));
    expect(restoredState(saved, first)).toEqual({ ...first, sorts: [[1, 1]], widths: { 1: 300 }, top: 40 });
    expect(restoredState(saved, firstState([{ name: "id" }]))).toBeUndefined();
    expect(restoredState(saved, firstState([{ name: "id,STATUS,LOSS" }]))).toBeUndefined();
    for (const other of [undefined, null, 1, "state", [], {}]) expect(restoredState(other, first)).toBeUndefined();
  });
});
