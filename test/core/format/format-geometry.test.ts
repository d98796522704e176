import { expect, test } from "vitest";
import {
  formatArea,
  formatCoordinates,
  formatDegrees,
  formatExtent,
  formatLatitude,
  formatLength,
  formatLongitude,
  formatScale,
} from "../../../src/core/format/format-geometry.js";

test("positions are for web maps or for readers", () => {
  expect(formatCoordinates([-3.7038, 40.4168])).toBe("40.4168000, -3.7038000");
  expect(formatDegrees([-3.7038, 40.4168])).toBe("40.41680° N, 3.70380° W");
  expect(formatDegrees([151.2, -33.9])).toBe("33.90000° S, 151.20000° E");
});

test("lengths and areas have their unit", () => {
  expect([870.4, 1234, 12_345].map((meters) => formatExtent(meters))).toEqual(["870 m", "1.23 km", "12.3 km"]);
  expect([0.5, 200, 5000].map(formatScale)).toEqual(["0.5 m", "200 m", "5 km"]);
  expect(formatScale(10_000_000)).toBe("10,000 km");
  expect([7.254, 310.44, 9999, 12_345].map((meters) => formatLength(meters))).toEqual([
    "7.25 m",
    "310.4 m",
    "9,999 m",
    "12.3 km",
  ]);
  expect([530.24, 1_254_000].map((size) => formatArea(size))).toEqual(["530.2 m²", "1.25 km²"]);
  expect(formatLength(7.254, { locale: "de-DE" })).toBe("7,25 m");
});

test("names meridians and parallels", () => {
  expect([-30, 0, 30, 180, 190, -180].map(formatLongitude)).toEqual(["30° W", "0°", "30° E", "180°", "170° W", "180°"]);
  expect([-60, 0, 60].map(formatLatitude)).toEqual(["60° S", "0°", "60° N"]);
});
