import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseParameters } from "../../../src/cli/input/parameters.js";
import { ArgumentError } from "../../../src/core/errors.js";

const parsed = (text: string) => parseParameters([`x=${text}`])["x"];

describe("values of the command line", () => {
  it.each([
    ["12", 12],
    ["-0", -0],
    ["0.1", 0.1],
    ["0.10", 0.1],
    ["1.0e2", 100],
    ["100e-2", 1],
    ["0e999", 0],
    ["9007199254740992", 2 ** 53],
    ["1e22", 1e22],
    ["1.7976931348623157e308", Number.MAX_VALUE],
    ["5e-324", 5e-324],
    ['{"a":[1,2.50,"12345678901234567890"]}', { a: [1, 2.5, "12345678901234567890"] }],
    ['"a \\" 1e400"', 'a " 1e400'],
  ])("%s is JSON", (text, value) => expect(parsed(text)).toStrictEqual(value));

  it.each(["0x10", "1_000", "+5", "007", ".5", "5.", "NaN", "Infinity", "-Infinity", "1e", "12n", "2025-06-30", ""])(
    "%j is a string",
    (text) => expect(parsed(text)).toBe(text),
  );

  it.each([
    ["12345678901234567890", "12345678901234567000"],
    ["-9007199254740993", "-9007199254740992"],
    ["1e400", "Infinity"],
    ["-1e400", "-Infinity"],
    ["1e-400", "0"],
    ["0.12345678901234567890", "0.12345678901234568"],
    ["3.14159265358979323846", "3.141592653589793"],
  ])("%s would become %s, and is refused", (text, became) => {
    expect(() => parsed(text)).toThrow(ArgumentError);
    expect(() => parsed(text)).toThrow(
      expect.objectContaining({
        facts: { number: text },
        message: expect.stringContaining(`would become ${became}.`),
        hint: `Write it as a string: -p 'x="${text}"'.`,
      }),
    );
    expect(parsed(`"${text}"`)).toBe(text);
  });

  it("such numbers are refused at any depth", () => {
    expect(() => parsed('{"a":{"b":[1,"2",12345678901234567890]}}')).toThrow(ArgumentError);
    expect(() => parsed('[1e999, "1e999"]')).toThrow(ArgumentError);
  });

  it("a number is accepted if it prints with its digits, and refused otherwise", () => {
    const doubles = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(doubles, (value) => {
        expect(parsed(Object.is(value, -0) ? "-0" : String(value))).toBe(value);
      }),
    );
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), (value) => {
        if (shownInteger(Number(value)) === value) expect(parsed(String(value))).toBe(Number(value));
        else expect(() => parsed(String(value))).toThrow(ArgumentError);
      }),
    );
  });
});

/** The integer that a number prints as: 2e+21 is 2 and 21 zeros, whatever the exact value of the double. */
function shownInteger(number: number): bigint {
  const [mantissa = "", exponent = "0"] = String(number).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return BigInt(`${whole}${fraction}`) * 10n ** BigInt(Number(exponent) - fraction.length);
}
