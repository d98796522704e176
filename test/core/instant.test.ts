import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatInstant } from "../../src/core/format/format-date.js";
import { dateOf, dayUs, isDateText, lastDayBefore, parseInstant } from "../../src/core/instant.js";

describe("a calendar date", () => {
  it("starts in UTC", () => {
    expect(dayUs("1970-01-02")).toBe(86_400_000_000);
    expect(dayUs("2024-02-29")).toBe(Date.UTC(2024, 1, 29) * 1000);
    expect(dayUs("0001-01-01")).toBe(Date.parse("0001-01-01T00:00Z") * 1000);
  });

  it.each(["2024-02-30", "2025-02-29", "2025-13-01", "2025-00-10", "2025-01-00", "2025-1-1", "2025-01-01T00:00Z", ""])(
    "is not %j",
    (text) => expect(dayUs(text)).toBeUndefined(),
  );

  it("is recognized by its form", () => {
    expect(["2025-02-30", "2025-99-99"].every(isDateText)).toBe(true);
    expect(["2025-02-3", "2025-02-30 ", "2025-02-30T12:00Z"].some(isDateText)).toBe(false);
  });

  it("is replaced with the last day of a shorter month", () => {
    expect(lastDayBefore("2024-02-30")).toBe("2024-02-29");
    expect(lastDayBefore("2025-02-29T12:00:00Z")).toBe("2025-02-28");
    expect(["2024-02-29", "2024-13-40", "2024-01-00", "soon"].map(lastDayBefore)).toEqual(Array(4).fill(undefined));
  });
});

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
    expect(parseInstant(text)).toEqual({ us, zoned: true, rolledOver: false });
  });

  it.each([
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"],
    ["2016-12-31T23:59:60.999Z", "2017-01-01T00:00:00Z"],
    ["2017-01-01T01:59:60+02:00", "2017-01-01T00:00:00Z"],
    ["2024-06-30T12:30:60Z", "2024-06-30T12:31:00Z"],
    ["2024-02-28T24:00:00Z", "2024-02-29T00:00:00Z"],
    ["2024-12-31T24:00Z", "2025-01-01T00:00:00Z"],
    ["2024-12-31T24:00:00.000-01:00", "2025-01-01T01:00:00Z"],
    ["0099-12-31T24:00:00Z", "0100-01-01T00:00:00Z"],
  ])("reads %s as %s, and marks it", (text, next) => {
    expect(parseInstant(text)).toEqual({ ...parseInstant(next), rolledOver: true });
  });

  it("cuts off digits below the microsecond", () => {
    expect(parseInstant("1970-01-01T00:00:00.123456789012Z")?.us).toBe(123_456);
  });

  it("reads a string without a zone as UTC, and marks it", () => {
    expect(parseInstant("1970-01-01T00:00:01")).toEqual({ us: 1_000_000, zoned: false, rolledOver: false });
  });

  it.each([
    "2025-02-29T00:00:00Z",
    "2025-13-01T00:00:00Z",
    "2025-01-00T00:00:00Z",
    "2025-01-01T24:00:01Z",
    "2025-01-01T24:00:00.1Z",
    "2025-01-01T24:01:00Z",
    "2025-01-01T23:59:61Z",
    "2025-01-01T23:60:00Z",
    "2025-01-01",
    "now",
    "",
  ])("rejects %j", (text) => expect(parseInstant(text)).toBeUndefined());

  it("agrees with Date on milliseconds, and reads its own format", () => {
    const us = fc.integer({ min: Date.UTC(1900, 0) * 1000, max: Date.UTC(2200, 0) * 1000 });
    fc.assert(
      fc.property(us, (value) => {
        expect(parseInstant(formatInstant(value))).toEqual({ us: value, zoned: true, rolledOver: false });
        expect(dateOf(value).getTime()).toBe(Math.floor(value / 1000));
      }),
    );
  });
});
