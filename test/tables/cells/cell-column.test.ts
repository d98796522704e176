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

/** The same by a comparison with all earlier numbers. */
function naive(numbers: readonly number[]): readonly number[] {
  const seen: number[] = [];
  return numbers.map((number) => {
    const known = seen.findIndex((other) => Object.is(other, number));
    return known >= 0 ? known : seen.push(number) - 1;
  });
}

describe("NumberCodes", () => {
  it("gives each number one code while it grows, and distinguishes -0 from 0", () => {
    const number = fc.oneof(fc.constantFrom(0, -0), fc.integer({ min: -5, max: 300 }), fc.double({ noNaN: true }));
    fc.assert(
      fc.property(fc.array(number, { maxLength: 1200, size: "max" }), (numbers) => {
        expect(codesOf(numbers)).toEqual(naive(numbers));
      }),
      { numRuns: 30 },
    );
  });
});
