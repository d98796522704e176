import { describe, expect, test } from "vitest";
import { formatCompact, formatCountTick, formatShort, formatTick } from "../../../src/core/format/format-tick.js";

describe("ticks", () => {
  test.each([
    [[0, 2000, 8000], "0 2,000 8,000"],
    [[0, 5000, 10_000, 15_000], "0 5k 10k 15k"],
    [[-40e9, 0, 3.4e6], "−40bn 0 3.4M"],
    [[12_345.5, 12_346], "12,345.5 12.346k"],
    [[0.5, 1], "0.5 1"],
    [[1e18, 1000], "1,000,000,000,000,000,000 1k"],
  ])("%j are %s", (ticks, expected) => {
    const most = Math.max(...ticks.map(Math.abs));
    expect(ticks.map((tick) => formatTick(tick, most)).join(" ")).toBe(expected);
  });

  test("have the words of a language", () => {
    expect(formatTick(3_400_000, 3_400_000, { locale: "de" })).toBe("3,4\u00a0Mio.");
    expect(formatTick(12_000, 12_000, { locale: "es" })).toBe("12\u00a0mil");
  });

  test("of counts are integers", () => {
    expect([0, 0.5, 20_000].map(formatCountTick)).toEqual(["0", "", "20k"]);
  });
});

describe("numbers in little space", () => {
  test("small cells have thousands", () => {
    expect([940, 1234, 9949, 12_345].map((count) => formatCompact(count))).toEqual(["940", "1.2k", "9.9k", "12k"]);
  });

  test("have three digits", () => {
    expect([1234.56, 34_567, -3_456_789, 0.12345].map((value) => formatShort(value))).toEqual([
      ...["1,235", "34.6k", "−3.46M", "0.123"],
    ]);
  });
});
