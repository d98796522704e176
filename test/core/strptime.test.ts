import { describe, expect, it } from "vitest";
import { strptime } from "../../src/core/strptime.js";

/** The time in ISO 8601, and whether the text has a zone. */
function read(text: string, format: string) {
  const time = strptime(format)(text);
  return time && [new Date(time.us / 1000).toISOString(), time.zoned];
}

describe("strptime()", () => {
  it.each([
    ["03/04/2024", "%m/%d/%Y", "2024-03-04T00:00:00.000Z"],
    ["3/4/2024", "%d/%m/%Y", "2024-04-03T00:00:00.000Z"],
    ["20240403", "%Y%m%d", "2024-04-03T00:00:00.000Z"],
    ["202404031505", "%Y%m%d%H%M", "2024-04-03T15:05:00.000Z"],
    ["02/May/24 3:15 PM", "%d/%b/%y %I:%M %p", "2024-05-02T15:15:00.000Z"],
    ["2 september 2024, 12:00:01 a.m.", "%d %B %Y, %I:%M:%S %p", "2024-09-02T00:00:01.000Z"],
    ["12:30 PM 1.2.69", "%I:%M %p %e.%-m.%y", "1969-02-01T12:30:00.000Z"],
    ["Mon, 01 Jul 2024 10:00:00", "%a, %d %b %Y %T", "2024-07-01T10:00:00.000Z"],
    ["2024-060", "%Y-%j", "2024-02-29T00:00:00.000Z"],
    ["2024-07-01T10:00:00.25", "%FT%T.%f", "2024-07-01T10:00:00.250Z"],
    ["100% 2024-07-01", "100%% %F", "2024-07-01T00:00:00.000Z"],
    ["2024.07.01 (10h)", "%Y.%m.%d (%Hh)", "2024-07-01T10:00:00.000Z"],
  ])("reads %s as %s", (text, format, time) => {
    expect(read(text, format)).toEqual([time, false]);
  });

  it.each([
    ["2024-07-01 10:00 +0200", "%F %R %z", "2024-07-01T08:00:00.000Z"],
    ["2024-07-01 10:00 -05:30", "%F %R %z", "2024-07-01T15:30:00.000Z"],
    ["2024-07-01 10:00 UTC", "%F %R %Z", "2024-07-01T10:00:00.000Z"],
    ["1710000000", "%s", "2024-03-09T16:00:00.000Z"],
    ["1710000000123", "%Q", "2024-03-09T16:00:00.123Z"],
  ])("reads the zone of %s as %s", (text, format, time) => {
    expect(read(text, format)).toEqual([time, true]);
  });

  it("keeps microseconds", () => {
    expect(strptime("%F %T.%f")("2024-07-01 10:00:00.123456")?.us).toBe(Date.UTC(2024, 6, 1, 10) * 1000 + 123_456);
  });

  it.each([
    ["02/31/2024", "%m/%d/%Y"],
    ["13/01/2024", "%m/%d/%Y"],
    ["2023-366", "%Y-%j"],
    ["2024-07-01 24:30", "%F %R"],
    ["2024-07-01 0:30 AM", "%F %I:%M %p"],
    ["2024-07-01 13:30 PM", "%F %I:%M %p"],
    ["2024-07-01 10:00", "%F"],
    ["2024-07-01", "%F %R"],
    ["1 Mai 2024", "%d %b %Y"],
    ["", "%F"],
  ])("rejects %s as %s", (text, format) => {
    expect(strptime(format)(text)).toBeUndefined();
  });

  it.each([
    ["%Y-%m-%d %x", "unknown directive %x"],
    ["%Y-%Y-%d", "it contains %Y twice"],
    ["%m/%d", "it does not determine a date"],
    ["%Y-%m", "it does not determine a date"],
    ["%F %H:%M %p", "%I (hour from 1 to 12) and %p (AM or PM) belong together"],
    ["%F %I:%M", "%I (hour from 1 to 12) and %p (AM or PM) belong together"],
  ])("rejects the format %s: %s", (format, problem) => {
    expect(() => strptime(format)).toThrow(`Invalid time format ${JSON.stringify(format)}: ${problem}.`);
  });
});
