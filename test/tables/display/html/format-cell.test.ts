import { describe, expect, test } from "vitest";
import { numberText } from "../../../../src/tables/display/cell-text.js";
import { sensibleDecimals } from "../../../../src/tables/display/html/format-cell.js";

describe("numbers of a column", () => {
  test.each([
    [[73.76666666666661, 400, 0.5], "73.77 400 0.50"],
    [[73.76666666666661, 3], "73.767 3"],
    [[12.5, 3.25, 7], "12.50 3.25 7"],
    [[-5.980012, 38.74], "-5.980012 38.740000"],
    [[1 / 3, 1e-9], "0.33333 1.0e-9"],
    [[123456789.12345679, 1 / 3], "123456789.12 0.33"],
    [[0.1 + 0.2], "0.30000"],
    [[1e21, Number.NaN, Number.POSITIVE_INFINITY], "1e+21 NaN Infinity"],
  ])("%j are shown as %s", (values, expected) => {
    const decimals = sensibleDecimals(values);
    expect(values.map((value) => numberText(value, decimals)).join(" ")).toBe(expected);
  });
});
