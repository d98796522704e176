import { area } from "@turf/area";
import { distance } from "@turf/distance";
import { length } from "@turf/length";
import type { Geometry, Position } from "geojson";
import { soundGeometry } from "../../tables/export/sound-geometry.js";

/** Longitude and latitude in degrees. */
export type Point = readonly [number, number];

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

const IN_METERS = { units: "meters" } as const;

/** Meters between two points, on a sphere. */
export function metersBetween(a: Point, b: Point): number {
  return distance([a[0], a[1]], [b[0], b[1]], IN_METERS);
}

/** Radii of the WGS 84 ellipsoid in meters. */
const EQUATORIAL_RADIUS = 6_378_137;
export const POLAR_RADIUS = 6_356_752.314245;
const FLATTENING = 1 - POLAR_RADIUS / EQUATORIAL_RADIUS;
const RADIANS = Math.PI / 180;

/** Meters between two points on the WGS 84 ellipsoid, by Lambert's formula for long lines (relative error below 0.002%). */
export function ellipsoidMeters(a: Point, b: Point): number {
  const reduced = (latitude: number) => Math.atan((1 - FLATTENING) * Math.tan(latitude * RADIANS));
  const [one, other] = [reduced(a[1]), reduced(b[1])];
  const across = Math.sin(((b[0] - a[0]) * RADIANS) / 2) ** 2;
  const half = (one - other) / 2;
  const haversine = Math.min(1, Math.sin(half) ** 2 + Math.cos(one) * Math.cos(other) * across);
  if (haversine === 0) return 0;
  const angle = 2 * Math.asin(Math.sqrt(haversine));
  const mean = (one + other) / 2;
  const x =
    (angle - Math.sin(angle)) * ((Math.sin(mean) * Math.cos(half)) ** 2 / Math.max(1 - haversine, Number.EPSILON));
  const y = (angle + Math.sin(angle)) * ((Math.cos(mean) * Math.sin(half)) ** 2 / haversine);
  return EQUATORIAL_RADIUS * (angle - (FLATTENING / 2) * (x + y));
}

/** Meters per degree on the WGS 84 ellipsoid at a latitude. */
export function metersPerDegree(latitude: number): { readonly longitude: number; readonly latitude: number } {
  const squared = FLATTENING * (2 - FLATTENING);
  const root = Math.sqrt(1 - squared * Math.sin(latitude * RADIANS) ** 2);
  return {
    longitude: (RADIANS * EQUATORIAL_RADIUS * Math.cos(latitude * RADIANS)) / root,
    latitude: (RADIANS * EQUATORIAL_RADIUS * (1 - squared)) / root ** 3,
  };
}

/** Center of a value that may be a geometry; null if it is invalid or has no position. */
export function centerOf(value: unknown): Point | null {
  const geometry = soundGeometry(value);
  return geometry ? centroidOf(geometry) : null;
}

/**
 * Longitude and latitude of a geometry's center; null if it has no position.
 *
 * The center is that of the areas of polygons without their holes, in the plane of longitude and latitude; without any
 * area, that of lines by their length in meters (including the outlines of polygons without area); without any length, the
 * mean of the points. In a collection, the parts with the most dimensions count. A geometry that is cut at 180°, as
 * RFC 7946 (3.1.9) requires, has its center there: the parts west of 0° are moved east of 180° if they are nearer to the
 * other parts there.
 */
export function centroidOf(geometry: Geometry): Point | null {
  // Fast path: captures have many points.
  const centre = geometry.type === "Point" ? positionOf(geometry.coordinates) : centreOfParts(geometry);
  if (!centre) return null;
  const [x, y] = centre;
  return [x > 180 ? x - 360 : x, y];
}

function positionOf([x, y]: Position): Point | null {
  return x === undefined || y === undefined ? null : [x, y];
}

function centreOfParts(geometry: Geometry): Point | null {
  const parts = joinedParts(partsOf(geometry));
  return centreOfAreas(parts) ?? centreOfLines(parts) ?? centreOfPoints(parts);
}

/** A position of a valid geometry: its first two numbers. */
type Vertex = [longitude: number, latitude: number];

/** A polygon with its rings, a line, or a point, without empty parts. */
interface Part {
  readonly kind: "area" | "line" | "point";
  readonly lines: Vertex[][];
}

/** Points, lines and polygons of a geometry. */
export function partsOf(geometry: Geometry): readonly Part[] {
  const part = (kind: Part["kind"], all: readonly Position[][]): Part[] => {
    const lines = all.filter((line) => line.length > 0) as Vertex[][];
    return lines.length > 0 ? [{ kind, lines }] : [];
  };
  const point = (position: Position) => part("point", position.length > 0 ? [[position]] : []);
  switch (geometry.type) {
    case "Point":
      return point(geometry.coordinates);
    case "MultiPoint":
      return geometry.coordinates.flatMap(point);
    case "LineString":
      return part("line", [geometry.coordinates]);
    case "MultiLineString":
      return geometry.coordinates.flatMap((line) => part("line", [line]));
    case "Polygon":
      return part("area", geometry.coordinates);
    case "MultiPolygon":
      return geometry.coordinates.flatMap((rings) => part("area", rings));
    case "GeometryCollection":
      return geometry.geometries.flatMap(partsOf);
  }
}

/** Parts on both sides of 180° moved together. A part that crosses 180° itself stays: it is not cut. */
function joinedParts(parts: readonly Part[]): readonly Part[] {
  const bounds = parts.map(({ lines }) => {
    const longitudes = lines.flat().map(([x]) => x);
    return { west: longitudes.reduce((a, b) => Math.min(a, b)), east: longitudes.reduce((a, b) => Math.max(a, b)) };
  });
  const width = (all: typeof bounds) =>
    all.reduce((east, one) => Math.max(east, one.east), -Infinity) -
    all.reduce((west, one) => Math.min(west, one.west), Infinity);
  if (width(bounds) <= 180) return parts;
  const moved = bounds.map((one) => (one.east <= 0 ? { west: one.west + 360, east: one.east + 360 } : one));
  if (width(moved) >= width(bounds)) return parts;
  return parts.map((part, index) => {
    if (moved[index] === bounds[index]) return part;
    return { kind: part.kind, lines: part.lines.map((line) => line.map(([x, y]): Vertex => [x + 360, y])) };
  });
}

/** Center of polygons, weighted by area without holes, in either ring direction; null if they have no area. */
function centreOfAreas(parts: readonly Part[]): Point | null {
  const polygons = parts.filter(({ kind }) => kind === "area");
  const origin = polygons[0]?.lines[0]?.[0];
  if (!origin) return null;
  const whole = { area: 0, x: 0, y: 0 };
  for (const { lines } of polygons) {
    for (const [index, ring] of lines.entries()) {
      const { area, x, y } = ringMoment(ring, origin);
      const sign = Math.sign(area) * (index === 0 ? 1 : -1);
      whole.area += sign * area;
      whole.x += sign * x;
      whole.y += sign * y;
    }
  }
  return whole.area > 0 ? [origin[0] + whole.x / whole.area, origin[1] + whole.y / whole.area] : null;
}

/**
 * Signed area of a ring, and its product with the center, both relative to an origin near the ring: a distant origin would
 * lose the digits of the area.
 */
function ringMoment(ring: readonly Vertex[], [west, south]: Vertex) {
  let [area, x, y] = [0, 0, 0];
  let [x0, y0] = [0, 0];
  for (const [index, [longitude, latitude]] of ring.entries()) {
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

/** Center of lines and outlines, weighted by the length of segments; null if they have no length. */
function centreOfLines(parts: readonly Part[]): Point | null {
  const all = parts.flatMap(({ kind, lines }) => (kind === "point" ? [] : lines));
  const origin = all[0]?.[0];
  if (!origin) return null;
  const whole = { length: 0, x: 0, y: 0 };
  for (const line of all) {
    for (let index = 1; index < line.length; index += 1) {
      const [x0, y0] = line[index - 1] as Vertex;
      const [x1, y1] = line[index] as Vertex;
      // A degree of longitude is shorter away from the equator.
      const across = (x1 - x0) * Math.cos(((y0 + y1) * Math.PI) / 360);
      const meters = Math.hypot(across, y1 - y0);
      whole.length += meters;
      whole.x += meters * ((x0 + x1) / 2 - origin[0]);
      whole.y += meters * ((y0 + y1) / 2 - origin[1]);
    }
  }
  return whole.length > 0 ? [origin[0] + whole.x / whole.length, origin[1] + whole.y / whole.length] : null;
}

/** The mean of points, and of the first positions of parts without length; null without any. */
function centreOfPoints(parts: readonly Part[]): Point | null {
  const points = parts.map(({ lines }) => lines[0]?.[0] as Vertex);
  const [origin] = points;
  if (!origin) return null;
  let [sumX, sumY] = [0, 0];
  for (const [x, y] of points) [sumX, sumY] = [sumX + x - origin[0], sumY + y - origin[1]];
  return [origin[0] + sumX / points.length, origin[1] + sumY / points.length];
}
