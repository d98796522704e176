import type { Geometry, Position } from "geojson";

/** A geometry as well-known text. Either all positions have a height, or none. */
export function toWkt(geometry: Geometry): string {
  if (geometry.type === "GeometryCollection") {
    return `GEOMETRYCOLLECTION ${group(geometry.geometries.map(toWkt))}`;
  }
  const z = firstPosition(geometry.coordinates).length > 2;
  return `${geometry.type.toUpperCase()}${z ? " Z" : ""} ${body(geometry, z ? 3 : 2)}`;
}

function body(geometry: Exclude<Geometry, { type: "GeometryCollection" }>, dimensions: number): string {
  const position = (item: Position) => Array.from({ length: dimensions }, (_, n) => item[n] ?? 0).join(" ");
  const line = (items: Position[]) => group(items.map(position));
  const rings = (items: Position[][]) => group(items.map(line));
  switch (geometry.type) {
    case "Point":
      return geometry.coordinates.length === 0 ? "EMPTY" : `(${position(geometry.coordinates)})`;
    case "MultiPoint":
      return group(geometry.coordinates.map((item) => `(${position(item)})`));
    case "LineString":
      return line(geometry.coordinates);
    case "MultiLineString":
    case "Polygon":
      return rings(geometry.coordinates);
    case "MultiPolygon":
      return group(geometry.coordinates.map(rings));
  }
}

function group(parts: readonly string[]): string {
  return parts.length === 0 ? "EMPTY" : `(${parts.join(", ")})`;
}

type Nested = readonly (number | Nested)[];

function firstPosition(coordinates: Nested): Nested {
  const [first] = coordinates;
  return Array.isArray(first) ? firstPosition(first) : coordinates;
}
