import { area } from "@turf/area";
import { centerOfMass } from "@turf/center-of-mass";
import { length } from "@turf/length";
import type { Geometry, Position } from "geojson";
import { polygonsCentre } from "./polygons-centre.js";

/** A box in degrees. */
export interface Bounds {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** Every position of a geometry. */
export function* positions(geometry: Geometry): Iterable<Position> {
  if (geometry.type === "GeometryCollection") for (const part of geometry.geometries) yield* positions(part);
  else yield* nestedPositions(geometry.coordinates);
}

/** The smallest box around a geometry; null if it has no position. Geometries across 180° are not cut. */
export function boundsOf(geometry: Geometry): Bounds | null {
  let bounds: Bounds | null = null;
  for (const [x = 0, y = 0] of positions(geometry)) {
    bounds = bounds
      ? {
          west: Math.min(bounds.west, x),
          south: Math.min(bounds.south, y),
          east: Math.max(bounds.east, x),
          north: Math.max(bounds.north, y),
        }
      : { west: x, south: y, east: x, north: y };
  }
  return bounds;
}

/**
 * Longitude and latitude of the centre of mass; null if the geometry has no position. Of lines, of several points and of
 * collections it is that of the convex hull.
 */
export function centroidOf(geometry: Geometry): readonly [number, number] | null {
  if (positions(geometry)[Symbol.iterator]().next().done) return null;
  const centre = polygonsCentre(polygonsOf(geometry));
  if (centre) return centre;
  const [x = 0, y = 0] = centerOfMass(geometry).geometry.coordinates;
  return [x, y];
}

/** What turf takes for its hull, or for one ring: several polygons, and those with holes. */
function polygonsOf(geometry: Geometry): readonly Position[][][] {
  if (geometry.type === "MultiPolygon") return geometry.coordinates;
  return geometry.type === "Polygon" && geometry.coordinates.length > 1 ? [geometry.coordinates] : [];
}

/** Area in m² on the WGS 84 sphere of turf; 0 for points and lines. */
export function areaOf(geometry: Geometry): number {
  return area(geometry);
}

/** Length in m of lines, and of the outlines of polygons; 0 for points. */
export function lengthOf(geometry: Geometry): number {
  return length({ type: "Feature", geometry, properties: null }, { units: "meters" });
}

type Nested = readonly (number | Nested)[];

function* nestedPositions(coordinates: Nested): Iterable<Position> {
  if (typeof coordinates[0] === "number") yield coordinates as Position;
  else for (const part of coordinates) yield* nestedPositions(part as Nested);
}
