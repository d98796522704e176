import fc from "fast-check";
import { expect, test } from "vitest";
import { PageCells } from "../../../src/tables/read/record-reader.js";

test("copies cells unchanged, to separate arrays and to slabs", () => {
  const lists = fc.array(fc.array(fc.nat(), { maxLength: 20 }), { maxLength: 30 });
  fc.assert(
    fc.property(lists, fc.constantFrom(0, 50, 1000), (pages, few) => {
      const cells = new PageCells(few);
      const lent = new Uint32Array(20);
      const copies = pages.map((page) => {
        lent.set(page);
        const copy = cells.copy(lent.subarray(0, page.length));
        lent.fill(7);
        return copy;
      });
      expect(copies.map((copy) => [...copy])).toEqual(pages);
      cells.free();
    }),
    { numRuns: 30 },
  );
});

test("releases all slabs together, and then uses new ones", () => {
  const cells = new PageCells(0);
  const lent = new Uint32Array(5_000_000).fill(7);
  const copies = [cells.copy(lent), cells.copy(lent), cells.copy(lent)];
  expect(new Set(copies.map(({ buffer }) => buffer)).size).toBe(3);
  expect(copies.every((copy) => copy.length === lent.length && copy.at(-1) === 7)).toBe(true);
  cells.free();
  expect(copies.map(({ length }) => length)).toEqual([0, 0, 0]);
  expect(cells.copy(Uint32Array.of(1, 2))).toEqual(Uint32Array.of(1, 2));
  cells.free();
});

test("copies cells that exceed a slab to a separate array", () => {
  const cells = new PageCells(0);
  const large = new Uint32Array((1 << 23) + 2).fill(3);
  const copy = cells.copy(large);
  cells.free();
  expect([copy.length, copy.at(-1)]).toEqual([large.length, 3]);
});
