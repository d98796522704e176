import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  dateUnit,
  dayOrMinute,
  formatAsked,
  formatClock,
  formatDate,
  formatDay,
  formatDayOrIso,
  formatInstant,
  formatIso,
  formatMinute,
  formatType,
  inUtc,
} from "../../../src/core/format/format-date.js";
import { exactUs, MS_PER_DAY } from "../../../src/core/instant.js";

const madrid = { timeZone: "Europe/Madrid" };
const at = (text: string) => Date.parse(text);

describe("dates of a column", () => {
  test.each([
    [["2026-06-30T00:00Z", "2026-07-01T00:00Z"], "2026-06-30"],
    [["2026-06-30T14:03Z"], "2026-06-30 14:03"],
    [["2026-06-30T14:03:20Z"], "2026-06-30 14:03:20"],
    [["2026-06-30T14:03:20.125Z", "2026-06-30T00:00Z"], "2026-06-30 14:03:20.125"],
  ])("%j have the precision of %s in UTC", (texts, first) => {
    const times = texts.map(at);
    expect(formatDate(times[0] as number, { ...inUtc, unit: dateUnit(times, inUtc) })).toBe(first);
  });

  test("are days if they are midnights of their zone", () => {
    const times = [at("2026-06-29T22:00Z"), null, at("2026-12-31T23:00Z"), Number.NaN];
    expect(dateUnit(times, madrid)).toBe(MS_PER_DAY);
    expect(dateUnit(times, inUtc)).toBe(60_000);
    expect(formatDate(at("2026-12-31T23:00Z"), { ...madrid, unit: MS_PER_DAY })).toBe("2027-01-01");
    expect(dayOrMinute([at("2026-06-30T14:03:20.125Z")], madrid)).toBe(60_000);
  });

  test("show an invalid date as such, and years of five digits in full", () => {
    expect([
      formatDate(Number.NaN, madrid),
      formatIso(new Date("x"), inUtc),
      formatDayOrIso(Number.NaN, inUtc),
    ]).toEqual(Array(3).fill("Invalid Date"));
    expect(formatDay(at("+012026-06-30T00:00:00Z"), inUtc)).toBe("+012026-06-30");
  });
});

describe("a single date", () => {
  const summer = at("2026-06-30T22:03:20.125Z");

  test("has the day and the clock of its zone", () => {
    expect([formatDay(summer, inUtc), formatDay(summer, madrid)]).toEqual(["2026-06-30", "2026-07-01"]);
    expect([formatClock(summer, inUtc), formatClock(summer, madrid)]).toEqual(["22:03", "00:03"]);
    expect(formatMinute(summer, inUtc)).toBe("2026-06-30 22:03 UTC");
    expect(formatMinute(summer, madrid)).toBe("2026-07-01 00:03 Europe/Madrid");
  });

  test("has its offset in full form", () => {
    expect(formatIso(summer, inUtc)).toBe("2026-06-30T22:03:20.125Z");
    expect(formatIso(summer, madrid)).toBe("2026-07-01T00:03:20.125+02:00");
    expect(formatIso(at("2026-01-01T00:00Z"), { timeZone: "America/St_Johns" })).toBe("2025-12-31T20:30:00.000-03:30");
    expect(formatDayOrIso(at("2026-06-29T22:00Z"), madrid)).toBe("2026-06-30");
    expect(formatDayOrIso(at("2026-06-29T22:00Z"), inUtc)).toBe("2026-06-29T22:00:00.000Z");
  });

  test("keeps its microseconds in full form", () => {
    const us = exactUs("2026-06-30T22:03:20.125007Z") as number;
    expect(formatInstant(us)).toBe("2026-06-30T22:03:20.125007Z");
    expect(formatInstant(us, madrid)).toBe("2026-07-01T00:03:20.125007+02:00");
  });

  test("is the same instant in every zone and year", () => {
    const zone = fc.constantFrom("Europe/Madrid", "America/St_Johns", "Asia/Kathmandu", "Africa/Monrovia", "UTC");
    fc.assert(
      fc.property(fc.integer({ min: at("1690-01-01"), max: at("2250-01-01") }), zone, (ms, timeZone) => {
        expect(exactUs(formatInstant(ms * 1000 + 7, { timeZone }))).toBe(ms * 1000 + 7);
      }),
    );
  });
});

test.each([
  ["2024-06-30", "2024-06-30"],
  ["2024-06-30[Europe/Madrid]", "2024-06-30, Europe/Madrid"],
  ["2024-06-30T14:03:00.000Z", "2024-06-30 14:03 UTC"],
  ["2024-06-30T14:00:07.500Z", "2024-06-30 14:00:07.500 UTC"],
])("the requested time %s is %s", (asked, text) => {
  expect(formatAsked(asked)).toBe(text);
});

test("the type of a column of times has its zone", () => {
  expect([formatType("date", "UTC"), formatType("DATETIME", "Europe/Madrid")]).toEqual([
    "date, UTC",
    "DATETIME, Europe/Madrid",
  ]);
});
