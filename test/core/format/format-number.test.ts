import { describe, expect, it, test } from "vitest";
import {
  formatAmount,
  formatChange,
  formatCompact,
  formatCount,
  formatFigure,
  formatInColumn,
  formatMeasure,
  formatNumber,
  formatPercent,
  formatPlain,
  formatSignificant,
  formatTick,
  sensibleDecimals,
  withUnit,
} from "../../../src/core/format/format-number.js";

describe("numbers of a column", () => {
  test.each([
    [[73.76666666666661, 400, 0.5], "73.77 400.00 0.50"],
    [[73.76666666666661, 3], "73.767 3.000"],
    [[12.5, 3.25, 7], "12.50 3.25 7.00"],
    [[-5.980012, 38.74], "−5.980012 38.740000"],
    [[1 / 3, 1e-9], "0.33333 0.000000001"],
    [[123456789.12345679, 1 / 3], "123,456,789.12 0.33"],
    [[0.1 + 0.2], "0.30000"],
    [[9999, 10_000, -1_234_567], "9999 10,000 −1,234,567"],
    [[1e21, Number.NaN, Number.NEGATIVE_INFINITY], "1e+21 NaN −Infinity"],
  ])("%j are shown as %s", (values, expected) => {
    const decimals = sensibleDecimals(values);
    expect(values.map((value) => formatInColumn(value, { decimals })).join(" ")).toBe(expected);
  });

  test("have a style", () => {
    const form = { decimals: 1 } as const;
    expect(formatInColumn(123_456, { decimals: 0, style: "id" })).toBe("123456");
    expect(formatInColumn(12_345n, { decimals: 0 })).toBe("12,345");
    expect([0.567, 1, 0.0001].map((value) => formatInColumn(value, { ...form, style: "share" }))).toEqual([
      ...["56.7%", "100.0%", "0.01%"],
    ]);
    expect(formatInColumn(0.32, { ...form, style: "percent" })).toBe("0.3%");
    expect(formatInColumn(12_345.6, { ...form, style: "percent", locale: "de" })).toBe("12.345,6\u00a0%");
  });

  test("are searched as they are typed", () => {
    expect([-12_345.678, 3, 1e-9].map((value) => formatPlain(value, { decimals: 2 }))).toEqual([
      ...["-12345.68", "3.00", "1.0e-9"],
    ]);
    expect(formatPlain(0.567, { decimals: 1, style: "share" })).toBe("56.7%");
  });
});

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
});

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

  test("small cells have thousands", () => {
    expect([940, 1234, 9949, 12_345].map((count) => formatCompact(count))).toEqual(["940", "1.2k", "9.9k", "12k"]);
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
