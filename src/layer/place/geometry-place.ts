import { area } from "@turf/area";
import { length } from "@turf/length";
import type { Geometry, Position } from "geojson";
import { soundGeometry } from "../../tables/export/sound-geometry.js";
import { extentOf } from "../../tables/export/to-wkb.js";

/** Longitude and latitude in degrees. */
export type Point = readonly [number, number];

/** A box in degrees. */
export interface Bounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** The smallest box around a geometry; null if it has no position. Geometries across 180° are not cut. */
export function boundsOf(geometry: Geometry): Bounds | null {
  const extent = extentOf([geometry]);
  if (!extent) return null;
  const [west, south, east, north] = extent;
  return { west, south, east, north };
}

/** Area in m² on the WGS 84 sphere of turf; 0 for points and lines. */
export function areaOf(geometry: Geometry): number {
  return area(geometry);
}

/** Length in m of lines, and of the outlines of polygons; 0 for points. */
export function lengthOf(geometry: Geometry): number {
  return partsOf(geometry).reduce((sum, { kind, lines }) => {
    if (kind === "point") return sum;
    return lines.reduce((all, coordinates) => {
      const line: Geometry = { type: "LineString", coordinates };
      return all + length({ type: "Feature", geometry: line, properties: null }, { units: "meters" });
    }, sum);
  }, 0);
}

/** Centre of a value that may be a geometry; null if it is none, or has no position. */
export function centreOf(value: unknown): Point | null {
  const geometry = soundGeometry(value);
  return geometry ? centroidOf(geometry) : null;
}

/**
 * Longitude and latitude of a geometry's centre; null if it has no position.
 *
 * It is that of the areas of polygons without their holes, in the plane of longitude and latitude; where there is no area,
 * that of lines by their length in metres (of the outline of a polygon without area, too); where there is no length, the
 * mean of the points. Of a collection the parts with the most dimensions count. A geometry that is cut at 180°, as
 * RFC 7946 (3.1.9) asks for, has its centre there: the parts west of 0° are taken to lie east of 180° if that brings them
 * nearer together.
 */
export function centroidOf(geometry: Geometry): Point | null {
  const parts = joinedParts(partsOf(geometry));
  const centre = centreOfAreas(parts) ?? centreOfLines(parts) ?? centreOfPoints(parts);
  if (!centre) return null;
  const [x, y] = centre;
  return [x > 180 ? x - 360 : x, y];
}

/** A polygon with its rings, a line, or a point, without what is empty. */
interface Part {
  readonly kind: "area" | "line" | "point";
  readonly lines: readonly Position[][];
}

function partsOf(geometry: Geometry): readonly Part[] {
  const lines = (kind: Part["kind"], all: readonly Position[][]): Part[] => {
    const full = all.filter((line) => line.length > 0);
    return full.length > 0 ? [{ kind, lines: full }] : [];
  };
  switch (geometry.type) {
    case "Point":
      return geometry.coordinates.length > 0 ? [{ kind: "point", lines: [[geometry.coordinates]] }] : [];
    case "MultiPoint":
      return geometry.coordinates.flatMap((one) => (one.length > 0 ? lines("point", [[one]]) : []));
    case "LineString":
      return lines("line", [geometry.coordinates]);
    case "MultiLineString":
      return geometry.coordinates.flatMap((line) => lines("line", [line]));
    case "Polygon":
      return lines("area", geometry.coordinates);
    case "MultiPolygon":
      return geometry.coordinates.flatMap((rings) => lines("area", rings));
    case "GeometryCollection":
      return geometry.geometries.flatMap(partsOf);
  }
}

/** Parts on both sides of 180° beside each other. What lies across 180° itself stays: it is not cut. */
function joinedParts(parts: readonly Part[]): readonly Part[] {
  if (parts.length < 2) return parts;
  const spans = parts.map(({ lines }) => {
    let [west, east] = [Infinity, -Infinity];
    for (const [x = Number.NaN] of lines.flat()) [west, east] = [Math.min(west, x), Math.max(east, x)];
    return { west, east };
  });
  const width = (all: readonly { readonly west: number; readonly east: number }[]) =>
    Math.max(...all.map(({ east }) => east)) - Math.min(...all.map(({ west }) => west));
  if (width(spans) <= 180) return parts;
  const isWest = (index: number) => (spans[index]?.east ?? 0) <= 0;
  const moved = spans.map(({ west, east }, index) =>
    isWest(index) ? { west: west + 360, east: east + 360 } : { west, east },
  );
  if (width(moved) >= width(spans)) return parts;
  const move = ([x = 0, ...rest]: Position): Position => [x + 360, ...rest];
  return parts.map((part, index) =>
    isWest(index) ? { kind: part.kind, lines: part.lines.map((line) => line.map(move)) } : part,
  );
}

/** Of polygons, each counting by its area without its holes, whatever way their rings run; null if they have no area. */
function centreOfAreas(parts: readonly Part[]): Point | null {
  const polygons = parts.filter(({ kind }) => kind === "area");
  const [west = 0, south = 0] = polygons[0]?.lines[0]?.[0] ?? [];
  const whole = { area: 0, x: 0, y: 0 };
  for (const { lines } of polygons) {
    for (const [index, ring] of lines.entries()) {
      const { area, x, y } = ringMoment(ring, west, south);
      const sign = Math.sign(area) * (index === 0 ? 1 : -1);
      whole.area += sign * area;
      whole.x += sign * x;
      whole.y += sign * y;
    }
  }
  return whole.area > 0 ? [west + whole.x / whole.area, south + whole.y / whole.area] : null;
}

/** Area, and that times the place of its centre, from where it is counted. */
interface Moment {
  readonly area: number;
  readonly x: number;
  readonly y: number;
}

/** Of a ring, with the sign of the way that it runs. Far from the origin the digits of an area would be lost. */
function ringMoment(ring: readonly Position[], west: number, south: number): Moment {
  let [area, x, y] = [0, 0, 0];
  let [x0, y0] = [0, 0];
  for (const [index, [longitude = 0, latitude = 0]] of ring.entries()) {
    const [x1, y1] = [longitude - west, latitude - south];
    if (index > 0) {
      const cross = x0 * y1 - x1 * y0;
      area += cross / 2;
      x += ((x0 + x1) * cross) / 6;
      y += ((y0 + y1) * cross) / 6;
    }
    [x0, y0] = [x1, y1];
  }
  return { area, x, y };
}

/** Of lines and outlines, each stretch counting by its length; null if they have no length. */
function centreOfLines(parts: readonly Part[]): Point | null {
  const all = parts.flatMap(({ kind, lines }) => (kind === "point" ? [] : lines));
  const [west = 0, south = 0] = all[0]?.[0] ?? [];
  const whole = { length: 0, x: 0, y: 0 };
  for (const line of all) {
    for (let index = 1; index < line.length; index += 1) {
      const [x0 = 0, y0 = 0] = line[index - 1] ?? [];
      const [x1 = 0, y1 = 0] = line[index] ?? [];
      // A degree of longitude is shorter away from the equator.
      const across = (x1 - x0) * Math.cos(((y0 + y1) * Math.PI) / 360);
      const meters = Math.hypot(across, y1 - y0);
      whole.length += meters;
      whole.x += meters * ((x0 + x1) / 2 - west);
      whole.y += meters * ((y0 + y1) / 2 - south);
    }
  }
  return whole.length > 0 ? [west + whole.x / whole.length, south + whole.y / whole.length] : null;
}

/** The mean of points, and of the first position of what has no length; null if there is none. */
function centreOfPoints(parts: readonly Part[]): Point | null {
  const points = parts.flatMap(({ lines }) => lines.slice(0, 1).flatMap((line) => line.slice(0, 1)));
  const [west = 0, south = 0] = points[0] ?? [];
  if (points.length === 0) return null;
  let [sumX, sumY] = [0, 0];
  for (const [x = 0, y = 0] of points) [sumX, sumY] = [sumX + x - west, sumY + y - south];
  return [west + sumX / points.length, south + sumY / points.length];
}
