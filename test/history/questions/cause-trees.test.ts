import { describe, expect, it } from "vitest";
import type { History } from "../../../src/history/history.js";
import { change, feature, uuid } from "../../support/records.js";
import { historyOf, rowsOf } from "../small-history.js";

describe("causeTrees", () => {
  const caused = (n: number, by: number | null) => change(n, { caused_by_change_id: by === null ? null : uuid(by) });
  const treeOf = (history: History) =>
    rowsOf(history.causeTrees()).map(({ root_change_id, change_id, depth }) => [root_change_id, change_id, depth]);

  it("lists each change right above its effects", async () => {
    const log = [caused(1, null), caused(2, 1), caused(3, 1), caused(4, 2), caused(5, 99), caused(6, null)];
    const history = await historyOf([feature(1)], log);
    expect(treeOf(history)).toEqual([
      [uuid(1), uuid(1), 0],
      [uuid(1), uuid(2), 1],
      [uuid(1), uuid(4), 2],
      [uuid(1), uuid(3), 1],
      [uuid(99), uuid(5), 1],
    ]);
  });

  it("cuts cycles at their first change and reports them", async () => {
    const history = await historyOf(
      [feature(1)],
      [caused(1, 1), caused(2, 4), caused(3, 2), caused(4, 3), caused(5, 4)],
    );
    expect(treeOf(history)).toEqual([
      [uuid(1), uuid(1), 0],
      [uuid(2), uuid(2), 0],
      [uuid(2), uuid(3), 1],
      [uuid(2), uuid(4), 2],
      [uuid(2), uuid(5), 3],
    ]);
    expect(history.diagnostics).toContainEqual(
      expect.objectContaining({ code: "cause-cyclic", facts: { change_ids: [uuid(1), uuid(2)] } }),
    );
  });

  it.each<[string, number, (n: number) => number, (n: number) => number]>([
    ["a chain", 20_000, (n) => n, (n) => n],
    ["siblings", 150_000, () => 1, Math.sign],
  ])("lists %s of %d changes", async (_, length, causeOf, depthOf) => {
    const log = Array.from({ length }, (_, n) => caused(n + 1, n === 0 ? null : causeOf(n)));
    const tree = (await historyOf([feature(1)], log)).causeTrees();
    expect(tree.array("change_id")).toEqual(log.map(({ id }) => id));
    expect(tree.array("depth")).toEqual(log.map((_, n) => depthOf(n)));
  });
});
