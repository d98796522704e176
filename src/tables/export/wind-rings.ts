import type { Geometry, Position } from "geojson";
import { DEEPEST } from "./sound-geometry.js";

/** Direction of outer rings; holes have the other direction. */
export type Winding = "clockwise" | "counter-clockwise";

/** A geometry with all its rings in the given direction. Invalid rings are unchanged. */
export function windRings(geometry: Geometry, outer: Winding, depth = 0): Geometry {
  // A part of a received collection may be null.
  switch (geometry?.type) {
    case "Polygon":
      return { ...geometry, coordinates: windPolygon(geometry.coordinates, outer) };
    case "MultiPolygon":
      if (!Array.isArray(geometry.coordinates)) return geometry;
      return { ...geometry, coordinates: geometry.coordinates.map((rings) => windPolygon(rings, outer)) };
    case "GeometryCollection":
      if (!Array.isArray(geometry.geometries) || depth > DEEPEST) return geometry;
      return { ...geometry, geometries: geometry.geometries.map((part) => windRings(part, outer, depth + 1)) };
    default:
      return geometry;
  }
}

function windPolygon(rings: Position[][], outer: Winding): Position[][] {
  // The contract only checks that the coordinates of geometries are an array.
  if (!Array.isArray(rings) || !rings.every((ring) => Array.isArray(ring) && ring.every(Array.isArray))) return rings;
  return rings.map((ring, index) => {
    const isAsOuter = isClockwise(ring) === (outer === "clockwise");
    return isAsOuter === (index === 0) ? ring : ring.toReversed();
  });
}

/** By the sign of the area, relative to the first position so that small rings far from 0, 0 lose no precision. */
function isClockwise(ring: readonly Position[]): boolean {
  const [x0 = 0, y0 = 0] = ring[0] ?? [];
  let doubleArea = 0;
  ring.forEach(([x = 0, y = 0], index) => {
    const [nextX = 0, nextY = 0] = ring[(index + 1) % ring.length] as Position;
    doubleArea += (x - x0) * (nextY - y0) - (nextX - x0) * (y - y0);
  });
  return doubleArea < 0;
}
