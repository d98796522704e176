import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dateOf, formatInstant, parseInstant } from "../../src/core/instant.js";

describe("parseInstant", () => {
  it.each([
    ["1970-01-01T00:00:00Z", 0],
    ["1970-01-01T00:00:00.000001Z", 1],
    ["1970-01-01T00:00:00.1234567Z", 123_456],
    ["1970-01-01T02:00+02:00", 0],
    ["1969-12-31T22:30:00-0130", 0],
    ["1969-12-31 23:59:59.999999Z", -1],
    ["2024-02-29T12:00:00Z", Date.UTC(2024, 1, 29, 12) * 1000],
  ])("reads %s", (text, us) => {
    expect(parseInstant(text)).toEqual({ us, zoned: true });
  });

  it("reads a text without a zone as UTC and says so", () => {
    expect(parseInstant("1970-01-01T00:00:01")).toEqual({ us: 1_000_000, zoned: false });
  });

  it.each(["2025-02-29T00:00:00Z", "2025-13-01T00:00:00Z", "2025-01-01T24:00:00Z", "2025-01-01", "now", ""])(
    "refuses %j",
    (text) => expect(parseInstant(text)).toBeUndefined(),
  );

  it("agrees with Date on milliseconds and comes back from its own text", () => {
    const us = fc.integer({ min: Date.UTC(1900, 0) * 1000, max: Date.UTC(2200, 0) * 1000 });
    fc.assert(
      fc.property(us, (value) => {
        expect(parseInstant(formatInstant(value))).toEqual({ us: value, zoned: true });
        expect(dateOf(value).getTime()).toBe(Math.floor(value / 1000));
      }),
    );
  });
});
