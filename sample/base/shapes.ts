import type { LineString, Point, Polygon, Position } from "geojson";
import { itemAt } from "./random.js";

/** The corners of a rectangle, counter-clockwise from its lower left. */
export function rectangle([x, y]: Metres, width: number, height: number): readonly Metres[] {
  return [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ];
}

function distance([ax, ay]: Metres, [bx, by]: Metres): number {
  return Math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay));
}

export function lengthOf(line: readonly Metres[]): number {
  let length = 0;
  for (let i = 1; i < line.length; i++) length += distance(itemAt(line, i - 1), itemAt(line, i));
  return length;
}

/** Area of a counter-clockwise ring, in square metres. */
export function areaOf(ring: readonly Metres[]): number {
  return ring.reduce((sum, a, i) => sum + cross([0, 0], a, itemAt(ring, (i + 1) % ring.length)), 0) / 2;
}

/** Centre of gravity of a counter-clockwise ring. */
export function centroidOf(ring: readonly Metres[]): Metres {
  let x = 0;
  let y = 0;
  for (const [i, a] of ring.entries()) {
    const b = itemAt(ring, (i + 1) % ring.length);
    const weight = cross([0, 0], a, b);
    x += (a[0] + b[0]) * weight;
    y += (a[1] + b[1]) * weight;
  }
  const area = areaOf(ring);
  return [x / (6 * area), y / (6 * area)];
}

/** The convex hull, counter-clockwise (Andrew's monotone chain). */
export function hullOf(places: readonly Metres[]): readonly Metres[] {
  const sorted = places.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  return [...halfHull(sorted), ...halfHull(sorted.toReversed())];
}

function halfHull(sorted: readonly Metres[]): readonly Metres[] {
  const half: Metres[] = [];
  for (const place of sorted) {
    while (half.length > 1 && cross(itemAt(half, half.length - 2), itemAt(half, half.length - 1), place) <= 0)
      half.pop();
    half.push(place);
  }
  return half.slice(0, -1);
}

/** Positive if `o`, `a`, `b` turn to the left. */
function cross(o: Metres, a: Metres, b: Metres): number {
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

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

/** Splits lines into exactly `count` pieces of about the same length; with fewer pieces than lines, the last lines are left out. */
export function splitLines(lines: readonly (readonly Metres[])[], count: number): readonly (readonly Metres[])[] {
  const used = lines.slice(0, count);
  const total = used.reduce((sum, line) => sum + lengthOf(line), 0);
  const spare = count - used.length;
  let before = 0;
  return used.flatMap((line) => {
    const after = before + lengthOf(line);
    const extra = Math.round((after / total) * spare) - Math.round((before / total) * spare);
    before = after;
    return splitLine(line, 1 + extra);
  });
}

function splitLine(line: readonly Metres[], count: number): readonly (readonly Metres[])[] {
  const pieceLength = lengthOf(line) / count;
  const pieces: Metres[][] = [];
  let piece: Metres[] = [itemAt(line, 0)];
  let missing = pieceLength;
  for (let i = 1; i < line.length; i++) {
    const end = itemAt(line, i);
    let start = itemAt(line, i - 1);
    let rest = distance(start, end);
    while (rest > missing && pieces.length < count - 1) {
      const share = missing / rest;
      start = [start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share];
      pieces.push([...piece, start]);
      piece = [start];
      rest -= missing;
      missing = pieceLength;
    }
    piece.push(end);
    missing -= rest;
  }
  return [...pieces, piece];
}
