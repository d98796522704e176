import { describe, expect, it } from "vitest";
import { formatPercent } from "../../../src/history/order/value-label.js";

describe("formatPercent", () => {
  it.each([
    [99.997, 1, "99.9"],
    [99.6, 0, "99"],
    [99.5, 1, "99.5"],
    [100, 1, "100"],
    [100 - 1e-13, 1, "100"],
    [100.4, 0, "100"],
    [0, 1, "0"],
    [0.02, 1, "0.02"],
    [0.4, 0, "0.4"],
    [33.333, 1, "33.3"],
  ])("formats %d with %d decimals as %s", (percent, decimals, text) => {
    expect(formatPercent(percent, decimals)).toBe(text);
  });

  it("keeps as many decimals as the caller wants", () => {
    expect([100, 99.99, 0].map((percent) => formatPercent(percent, 1, 1))).toEqual(["100.0", "99.9", "0.0"]);
  });
});
