import { describe, expect, it } from "vitest";
import { counted, firstOf } from "../../src/core/counted.js";

describe("counted", () => {
  it.each([
    [counted(12_345), "12,345"],
    [counted(0, "row"), "0 rows"],
    [counted(1, "row"), "1 row"],
    [counted(1_200, "row"), "1,200 rows"],
    [counted(1, "property", "properties"), "1 property"],
    [counted(2, "property", "properties"), "2 properties"],
  ])("returns %j", (text, expected) => expect(text).toBe(expected));
});

describe("firstOf", () => {
  it.each([
    [firstOf([], 2), ""],
    [firstOf(["A", "B"], 2), "A, B"],
    [firstOf(["A", "B", "C"], 2), "A, B and 1 more"],
    [firstOf(["A", "B", "C", "D"], 1, { separator: " or " }), "A and 3 more"],
    [firstOf(["A", "B"], 2, { separator: " or " }), "A or B"],
    [firstOf(["A", "B"], 2, { total: 7 }), "A, B and 5 more"],
  ])("returns %j", (text, expected) => expect(text).toBe(expected));
});
