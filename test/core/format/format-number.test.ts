import { describe, expect, it, test } from "vitest";
import {
  formatAmount,
  formatChange,
  formatCount,
  formatFigure,
  formatMeasure,
  formatNumber,
  formatPercent,
  formatSignificant,
  withUnit,
} from "../../../src/core/format/format-number.js";

describe("formatPercent", () => {
  it.each([
    [99.997, 1, "99.9%"],
    [99.6, 0, "99%"],
    [99.5, 1, "99.5%"],
    [100, 1, "100%"],
    [100 - 1e-13, 1, "100%"],
    [100.4, 0, "100%"],
    [0, 1, "0%"],
    [0.02, 1, "0.02%"],
    [0.05, 1, "0.1%"],
    [0.4, 0, "0.4%"],
    [0.5, 0, "1%"],
    [33.333, 1, "33.3%"],
  ])("formats %d with %d decimals as %s", (percent, decimals, text) => {
    expect(formatPercent(percent, { decimals })).toBe(text);
  });

  it("keeps as many decimals as the caller wants", () => {
    const decimals = { decimals: 1, leastDecimals: 1 };
    expect([100, 99.99, 0].map((percent) => formatPercent(percent, decimals))).toEqual(["100.0%", "99.9%", "0.0%"]);
  });

  it("uses the separators of a language", () => {
    expect(formatPercent(99.96, { decimals: 1, locale: "de-DE" })).toBe("99,9\u00a0%");
    expect(formatPercent(0.02, { decimals: 1, locale: "de-DE" })).toBe("0,02\u00a0%");
  });
});

describe("single numbers", () => {
  test("have separators, by language", () => {
    expect(formatCount(1234567)).toBe("1,234,567");
    expect(formatCount(1234567, { locale: "de-DE" })).toBe("1.234.567");
    expect(formatNumber(1234.5678, { decimals: 2 })).toBe("1,234.57");
    expect(formatNumber(1, { decimals: 2, leastDecimals: 2, locale: "fr-FR" })).toBe("1,00");
  });

  test.each([
    [0, "0"],
    [12.34567, "12.35"],
    [123456, "123,456"],
    [0.000123456, "0.0001235"],
    [1.23456e-7, "1.235e−7"],
    [-1.5e21, "−1.5e+21"],
    [Number.NaN, "NaN"],
  ])("%d has four digits as %s, and integers all", (value, text) => {
    expect(formatMeasure(value)).toBe(text);
  });

  test("have significant digits", () => {
    expect(formatSignificant(1234.5, 2)).toBe("1,200");
  });

  test.each([
    [0.01234, "0.012"],
    [12.34, "12.3"],
    [1234.5, "1,235"],
    [-0.004, "−0.004"],
  ])("the amount %d is %s", (amount, text) => {
    expect(formatAmount(amount)).toBe(text);
  });

  test("key figures have a true minus, and are 0 only for zero", () => {
    const texts = [-2, -0, 0.04, -0.004, 1234.5].map((value) => formatFigure(value, { decimals: 1 }));
    expect(texts).toEqual(["−2.0", "0.0", "0.04", "−0.004", "1,234.5"]);
  });

  test("differences have a sign", () => {
    expect([1.25, -2].map((value) => formatChange(value, 1))).toEqual(["+1.3", "−2.0"]);
  });

  test("have their unit, if there is one", () => {
    expect([withUnit("3", "m"), withUnit("3", undefined), withUnit("3", null), withUnit("3", "%")]).toEqual([
      "3 m",
      "3",
      "3",
      "3%",
    ]);
  });
});
