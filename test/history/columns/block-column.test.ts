import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BlockColumn } from "../../../src/history/columns/block-column.js";
import { randomRuns } from "../../support/random-runs.js";

/**
 * A column of squares that counts how many values were made one by one, and how many in blocks. Every third stands apart
 * from the dictionary.
 */
function squares(length: number) {
  const made = { apart: 0, inBlocks: 0 };
  const column = new BlockColumn<number>(length, {
    at(row) {
      made.apart += 1;
      return row * row;
    },
    dictionary: Array.from({ length }, (_, row) => (length - row) ** 2),
    read(start, end, { codes, apart }) {
      made.inBlocks += end - start;
      let count = 0;
      for (let row = start; row < end; row += 1) {
        codes[row - start] = row % 3 === 0 ? -1 - count : length - row;
        if (row % 3 === 0) apart[count++] = row * row;
      }
    },
  });
  return { column, made };
}

describe("a column of blocks", () => {
  it("gives the value of each row, in whatever order they are read", () => {
    const stretch = fc.tuple(
      fc.integer({ min: -3, max: 5000 }),
      fc.integer({ min: 1, max: 1500 }),
      fc.constantFrom(1, 1, -1, 2),
    );
    const check = (length: number, stretches: readonly (readonly [number, number, number])[]) => {
      const { column } = squares(length);
      for (const [start, count, step] of stretches) {
        for (let n = 0; n < count; n += 1) {
          const row = start + n * step;
          if (column.at(row) !== (row >= 0 && row < length ? row * row : undefined)) expect(row).toBe("another value");
        }
      }
      const all = Array.from({ length }, (_, row) => row * row);
      expect([...column]).toEqual(all);
      expect(column.allValues()).toEqual(all);
    };
    fc.assert(fc.property(fc.nat({ max: 5000 }), fc.array(stretch, { maxLength: 6 }), check), {
      numRuns: randomRuns(50),
    });
  });

  it("makes each value once where rows are read one after the other", () => {
    const { column, made } = squares(10_000);
    for (let row = 0; row < column.length; row += 1) column.at(row);
    expect(made.apart).toBeLessThan(10);
    expect(made.apart + made.inBlocks).toBe(10_000);
  });

  it("makes no others where rows are read here and there", () => {
    const { column, made } = squares(10_000);
    for (let n = 0; n < 1000; n += 1) column.at((n * 7919) % 10_000);
    expect(made).toEqual({ apart: 1000, inBlocks: 0 });
  });

  it("can be read by several at once", () => {
    const { column } = squares(5000);
    const [one, other] = [column[Symbol.iterator](), column[Symbol.iterator]()];
    for (let row = 0; row < 3000; row += 1) {
      expect(one.next().value).toBe(row * row);
      if (row % 2 === 0) expect(other.next().value).toBe((row / 2) ** 2);
      expect(column.at(4999 - row)).toBe((4999 - row) ** 2);
    }
  });
});
