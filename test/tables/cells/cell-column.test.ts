import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NumberCodes } from "../../../src/tables/cells/cell-column.js";

/** Codes of numbers in order of first appearance. */
function codesOf(numbers: readonly number[]): readonly number[] {
  const codes = new NumberCodes();
  let next = 0;
  return numbers.map((number) => {
    const [high = 0, low = 0] = new Uint32Array(Float64Array.of(number).buffer).reverse();
    const code = codes.code(high, low, next);
    if (code === next) next += 1;
    return code;
  });
}

/** The same by comparing each with all before it. */
function naive(numbers: readonly number[]): readonly number[] {
  const seen: number[] = [];
  return numbers.map((number) => {
    const known = seen.findIndex((other) => Object.is(other, number));
    return known >= 0 ? known : seen.push(number) - 1;
  });
}

describe("NumberCodes", () => {
  it("gives equal numbers one code, and -0 another than 0", () => {
    expect(codesOf([0, -0, 1, 0, -0, 1.5, 1])).toEqual([0, 1, 2, 0, 1, 3, 2]);
  });

  it("keeps codes while it grows", () => {
    const numbers = Array.from({ length: 3000 }, (_, n) => (n % 1500) / 10);
    expect(codesOf(numbers)).toEqual(naive(numbers));
  });

  it("agrees with comparing each to all before it", () => {
    const number = fc.oneof(fc.integer({ min: -5, max: 300 }), fc.double({ noNaN: true }));
    fc.assert(
      fc.property(fc.array(number, { maxLength: 1200, size: "max" }), (numbers) => {
        expect(codesOf(numbers)).toEqual(naive(numbers));
      }),
      { numRuns: 30 },
    );
  });
});
