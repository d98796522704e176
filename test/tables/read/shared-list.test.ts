import fc from "fast-check";
import { expect, test } from "vitest";
import { SharedList } from "../../../src/tables/read/shared-list.js";

const objects = [["a"], { a: 1 }, ["a"]];
const value = fc.constantFrom<unknown>(null, true, false, 0, -0, 1, "0", "", "a", ...objects);

test("each value has one code, whichever lists it stands in", () => {
  fc.assert(
    fc.property(fc.array(fc.array(value)), (lists) => {
      const shared = new SharedList();
      const codes = lists.map((list) => shared.codesOf(list));
      const decoded = codes.map((ofList) => Array.from(ofList, (code) => shared.values[code]));
      for (const [n, list] of lists.entries()) {
        expect(decoded[n]?.every((found, index) => Object.is(found, list[index]))).toBe(true);
      }
      const different = lists
        .flat()
        .filter((one, index, all) => all.findIndex((other) => Object.is(one, other)) === index);
      expect(shared.values).toEqual(different);
    }),
  );
});

test("where few values come again all are listed, and none is lost", () => {
  const shared = new SharedList(4);
  const lists = [["a", "b"], ["a"], ["c", "d"], ["a", "e"]];
  const decoded = lists.map((list) => Array.from(shared.codesOf(list), (code) => shared.values[code]));
  expect(decoded).toEqual(lists);
  expect(shared.values).toEqual(["a", "b", "c", "d", "a", "e"]);
});

test("where values come again it goes on looking, however many others there are", () => {
  const shared = new SharedList(4);
  for (let n = 0; n < 3; n += 1) shared.codesOf(["a", "b"]);
  expect([...shared.codesOf(["a", "c", "d", "a", "e"])]).toEqual([0, 2, 3, 0, 4]);
  expect(shared.values).toEqual(["a", "b", "c", "d", "e"]);
});
