import type { Geometry, Position } from "geojson";

/** A geometry with its rings in the order of RFC 7946: outer rings counter-clockwise, holes clockwise. */
export function rewindGeometry(geometry: Geometry): Geometry {
  switch (geometry.type) {
    case "Polygon":
      return { ...geometry, coordinates: rewindRings(geometry.coordinates) };
    case "MultiPolygon":
      return { ...geometry, coordinates: geometry.coordinates.map(rewindRings) };
    case "GeometryCollection":
      return { ...geometry, geometries: geometry.geometries.map(rewindGeometry) };
    default:
      return geometry;
  }
}

function rewindRings(rings: Position[][]): Position[][] {
  return rings.map((ring, index) => (isClockwise(ring) === index > 0 ? ring : ring.toReversed()));
}

/** By the sign of the area. Measured from the first position, so that small rings far from 0, 0 lose no digits. */
function isClockwise(ring: readonly Position[]): boolean {
  const [x0 = 0, y0 = 0] = ring[0] ?? [];
  let doubleArea = 0;
  ring.forEach(([x = 0, y = 0], index) => {
    const [nextX = 0, nextY = 0] = ring[(index + 1) % ring.length] ?? [];
    doubleArea += (x - x0) * (nextY - y0) - (nextX - x0) * (y - y0);
  });
  return doubleArea < 0;
}
