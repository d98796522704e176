import { expect, test } from "vitest";
import { formatDays, formatDuration } from "../../../src/core/format/format-duration.js";

test.each([
  [840, "0.8 s"],
  [9960, "10 s"],
  [12_400, "12 s"],
  [125_000, "2 min 5 s"],
])("a run of %d ms takes %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test("days have one decimal below ten, or as many as requested", () => {
  expect([3.52, 9.96, 12.4].map((days) => formatDays(days))).toEqual(["3.5 days", "10 days", "12 days"]);
  expect(formatDays(12.44, { unit: "working days", decimals: 1 })).toBe("12.4 working days");
});
