import { describe, expect, test } from "vitest";
import { formatInColumn, formatPlain, isFullIn, sensibleDecimals } from "../../../src/core/format/format-in-column.js";

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

  test("need a tooltip if digits are left out", () => {
    expect([0.5, 0.125, Number.NaN].map((value) => isFullIn(value, { decimals: 2 }))).toEqual([true, false, true]);
    expect([0.567, 0.5671].map((value) => isFullIn(value, { decimals: 1, style: "share" }))).toEqual([true, false]);
  });
});
