import { describe, expect, it } from "vitest";
import { BlockColumn } from "../../../src/history/columns/block-column.js";

/**
 * A column of squares that counts how many values were made one by one, and how many in blocks. Every third value is
 * missing in the dictionary.
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
  it("makes each value once if rows are read one after the other", () => {
    const { column, made } = squares(10_000);
    for (let row = 0; row < column.length; row += 1) column.at(row);
    expect(made.apart).toBeLessThan(10);
    expect(made.apart + made.inBlocks).toBe(10_000);
  });

  it("makes only the values that are read if rows are read at random", () => {
    const { column, made } = squares(10_000);
    for (let n = 0; n < 1000; n += 1) column.at((n * 7919) % 10_000);
    expect(made).toEqual({ apart: 1000, inBlocks: 0 });
    expect([column.at(-1), column.at(10_000)]).toEqual([undefined, undefined]);
  });

  it("has correct values for several readers at once", () => {
    const { column } = squares(5000);
    const [one, other] = [column[Symbol.iterator](), column[Symbol.iterator]()];
    for (let row = 0; row < 3000; row += 1) {
      expect(one.next().value).toBe(row * row);
      if (row % 2 === 0) expect(other.next().value).toBe((row / 2) ** 2);
      expect(column.at(4999 - row)).toBe((4999 - row) ** 2);
    }
  });
});
