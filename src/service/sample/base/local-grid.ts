import type { LineString, Point, Polygon, Position } from "geojson";
import { itemAt } from "./item-at.js";

/** Metres east and north, before the frame is turned. */
export type Metres = readonly [x: number, y: number];

/**
 * A flat local grid in metres, turned by an angle about its origin on the globe.
 * Its numbers are literals because the last digit of `Math.cos` depends on the JavaScript engine.
 */
export interface LocalGrid {
  readonly origin: readonly [longitude: number, latitude: number];
  /** Metres in a degree of longitude and of latitude at the origin. */
  readonly metresPerDegree: readonly [longitude: number, latitude: number];
  /** Cosine and sine of the angle, counter-clockwise. */
  readonly turn: readonly [cosine: number, sine: number];
}

/** Longitude and latitude of a place on the grid, to about a centimetre. */
function position(frame: LocalGrid, [x, y]: Metres): Position {
  const [cosine, sine] = frame.turn;
  const east = x * cosine - y * sine;
  const north = x * sine + y * cosine;
  return [
    round7(frame.origin[0] + east / frame.metresPerDegree[0]),
    round7(frame.origin[1] + north / frame.metresPerDegree[1]),
  ];
}

export function point(frame: LocalGrid, place: Metres): Point {
  return { type: "Point", coordinates: position(frame, place) };
}

export function lineString(frame: LocalGrid, line: readonly Metres[]): LineString {
  return { type: "LineString", coordinates: line.map((place) => position(frame, place)) };
}

/** The polygon of a ring that runs counter-clockwise and is not closed yet. */
export function polygon(frame: LocalGrid, ring: readonly Metres[]): Polygon {
  const corners = ring.map((place) => position(frame, place));
  return { type: "Polygon", coordinates: [[...corners, itemAt(corners, 0)]] };
}

function round7(degrees: number): number {
  return Math.round(degrees * 1e7) / 1e7;
}
