import { describe, expect, it } from "vitest";
import { niceAtLeast, niceAtMost } from "../../src/core/nice-number.js";

describe("nice numbers", () => {
  it.each([
    [1, 1, 1],
    [1.5, 1, 2],
    [2, 2, 2],
    [4.9, 2, 5],
    [7, 5, 10],
    [10, 10, 10],
    [0.03, 0.02, 0.05],
    [1234, 1000, 2000],
  ])("of %d are %d and %d", (size, most, least) => {
    expect(niceAtMost(size)).toBeCloseTo(most, 12);
    expect(niceAtLeast(size)).toBeCloseTo(least, 12);
  });

  it("ignores rounding errors", () => {
    expect(niceAtLeast(0.1 + 0.2 - 0.1)).toBeCloseTo(0.2, 12);
  });
});
