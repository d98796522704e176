import { describe, expect, it } from "vitest";
import { listOptions, showTimeOrNumber, valueKind } from "../../src/core/show-record-value.js";

describe("valueKind", () => {
  it.each<[unknown, string]>([
    ["Petra Muster", "a string of 12 characters"],
    ["P", "a string of 1 character"],
    [151, "a number"],
    [Number.NaN, "NaN"],
    [true, "a boolean"],
    [null, "null"],
    [undefined, "undefined"],
    [["Petra"], "an array of 1 value"],
    [{ name: "Petra" }, "an object"],
    [new Date(0), "a Date"],
    [new Date(Number.NaN), "an invalid Date"],
  ])("of %j is %s", (value, kind) => {
    expect(valueKind(value)).toBe(kind);
  });
});

describe("showTimeOrNumber", () => {
  it.each<[unknown, string]>([
    ["30/06/2024", '"30/06/2024"'],
    ["2024-06-30T12:00:00.000Z", '"2024-06-30T12:00:00.000Z"'],
    ["Sat, 30 Jun 2024 12:00 PM", '"Sat, 30 Jun 2024 12:00 PM"'],
    ["12,5", '"12,5"'],
    [2.5, "2.5"],
    [123_456_789, "123456789"],
  ])("quotes %j", (value, shown) => {
    expect(showTimeOrNumber(value)).toBe(shown);
  });

  it.each<[unknown, string]>([
    ["soon", "a string of 4 characters"],
    ["+49 151 2345 678", "a string of 16 characters"],
    ["0151/2345678", "a string of 12 characters"],
    ["1512345678", "a string of 10 characters"],
    [1_512_345_678, "a number"],
    ["192.168.0.1", "a string of 11 characters"],
    ["12345678-1234-1234-1234-123456789012", "a string of 36 characters"],
    ["1 2 3 4 5 6 7 8 9 ".repeat(3), "a string of 54 characters"],
    [["2024-06-30"], "an array of 1 value"],
  ])("does not quote %j", (value, shown) => {
    expect(showTimeOrNumber(value)).toBe(shown);
  });
});

it("lists options of a definition, and counts other values", () => {
  expect(listOptions(["OPEN", "Petra", "DONE"], ["OPEN", "DONE"], 5)).toBe('"OPEN", "DONE" and 1 more');
  expect(listOptions(["OPEN", "BLOCKED", "DONE"], ["OPEN", "BLOCKED", "DONE"], 2)).toBe('"OPEN", "BLOCKED" and 1 more');
  expect(listOptions(["Petra"], [], 5)).toBe("1 value");
});
