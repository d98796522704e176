import { describe, expect, test } from "vitest";
import { type DateFormat, dayOrMinute, formatDate, inUtc } from "../../../src/core/format/format-date.js";
import { formatInterval, periodNamer } from "../../../src/core/format/format-interval.js";
import { formatMeasure } from "../../../src/core/format/format-number.js";

const madrid = { timeZone: "Europe/Madrid" };

function dates(from: string, to: string, format: DateFormat = inUtc): string {
  const ends = [new Date(from), new Date(to)] as const;
  const unit = dayOrMinute(ends.map(Number), format);
  return formatInterval(...ends, (end) => formatDate(end as Date, { ...format, unit }), format);
}

describe("formatInterval", () => {
  test("shows the day of two times once", () => {
    expect(dates("2024-03-05T09:30Z", "2024-03-05T11:00Z")).toBe("2024-03-05 09:30 to 11:00");
    expect(dates("2024-03-05T22:30Z", "2024-03-06T01:00Z")).toBe("2024-03-05 22:30 to 2024-03-06 01:00");
    expect(dates("2024-03-05T22:30Z", "2024-03-06T01:00Z", madrid)).toBe("2024-03-05 23:30 to 2024-03-06 02:00");
  });

  test("has as many digits as distinguish its ends", () => {
    expect(dates("2024-03-05T09:30:01Z", "2024-03-05T09:30:02.5Z")).toBe("2024-03-05 09:30:01 to 09:30:02.500");
    const numbers = (from: number, to: number) => formatInterval(from, to, (end) => formatMeasure(Number(end)), inUtc);
    expect([numbers(1, 2), numbers(1.00001, 1.00002), numbers(3, 3)]).toEqual(["1 to 2", "1.00001 to 1.00002", "3"]);
  });

  test("writes other values and invalid dates as they are", () => {
    expect(formatInterval("a", "b", String, inUtc)).toBe("a to b");
    expect(formatInterval(new Date(Number.NaN), new Date(0), () => "none", inUtc)).toBe("none");
  });
});

describe("periodNamer", () => {
  const period = (from: string, to: string) => [new Date(from), new Date(to)] as const;

  test.each([
    [period("2024-01-01", "2025-01-01"), "2024"],
    [period("2024-03-01", "2024-04-01"), "March 2024"],
    [period("2024-03-01", "2024-06-01"), "March 2024 to May 2024"],
    [period("2024-03-04", "2024-03-11"), "2024-03-04 to 2024-03-10"],
  ])("%j is %s", (ends, name) => {
    expect(periodNamer([ends])?.(...ends)).toBe(name);
  });

  test("has no names for times and empty periods", () => {
    expect(periodNamer([period("2024-03-04T01:00Z", "2024-03-05")])).toBeUndefined();
    expect(periodNamer([period("2024-03-04", "2024-03-04")])).toBeUndefined();
    expect(periodNamer([])).toBeUndefined();
  });
});
