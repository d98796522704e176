import type { Geometry, Position } from "geojson";

/**
 * A geometry with its outer rings clockwise and its holes counter-clockwise, as d3 and Plot take them. GeoJSON wants
 * the opposite (RFC 7946, 3.1.6), and a ring of the wrong winding would fill the rest of the globe.
 */
export function clockwise(geometry: Geometry): Geometry {
  switch (geometry.type) {
    case "Polygon":
      return { ...geometry, coordinates: windRings(geometry.coordinates) };
    case "MultiPolygon":
      return { ...geometry, coordinates: geometry.coordinates.map(windRings) };
    case "GeometryCollection":
      return { ...geometry, geometries: geometry.geometries.map(clockwise) };
    default:
      return geometry;
  }
}

function windRings(rings: Position[][]): Position[][] {
  return rings.map((ring, index) => (doubleArea(ring) < 0 === (index === 0) ? ring : [...ring].reverse()));
}

/** Twice the area in the plane of longitude and latitude, positive if counter-clockwise. */
function doubleArea(ring: readonly Position[]): number {
  let sum = 0;
  // Counted from the first corner, so that small rings far from the origin keep their digits.
  const [x0 = 0, y0 = 0] = ring[0] ?? [];
  for (let corner = 1; corner < ring.length; corner += 1) {
    const [x1 = 0, y1 = 0] = ring[corner - 1] ?? [];
    const [x2 = 0, y2 = 0] = ring[corner] ?? [];
    sum += (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0);
  }
  return sum;
}
