import type { Geometry, Position } from "geojson";

/** Codes of ISO WKB; with a third dimension they are 1000 more. */
const codes: Readonly<Record<Geometry["type"], number>> = {
  Point: 1,
  LineString: 2,
  Polygon: 3,
  MultiPoint: 4,
  MultiLineString: 5,
  MultiPolygon: 6,
  GeometryCollection: 7,
};

const Z = 1000;

/** Whether positions of a geometry have a height. */
export function hasHeight(geometry: Geometry): boolean {
  if (geometry.type === "GeometryCollection") return geometry.geometries.some(hasHeight);
  return deepest(geometry.coordinates).some((position) => position.length > 2);
}

/** Every position of coordinates, however deep they are nested. */
export function deepest(coordinates: Nested): readonly Position[] {
  if (coordinates.length === 0) return [];
  if (typeof coordinates[0] === "number") return [coordinates as Position];
  return coordinates.flatMap((part) => deepest(part as Nested));
}

export type Nested = readonly (number | Nested)[];

/**
 * A geometry as well-known binary (ISO 13249-3, little-endian). A point without coordinates has those of no number.
 *
 * @throws TypeError for coordinates that are not those of its type
 */
export function toWkb(geometry: Geometry): Buffer {
  const parts: Buffer[] = [];
  write(geometry, hasHeight(geometry), parts);
  return Buffer.concat(parts);
}

function write(geometry: Geometry, z: boolean, parts: Buffer[]): void {
  const head = Buffer.alloc(5);
  head.writeUInt8(1);
  head.writeUInt32LE(codes[geometry.type] + (z ? Z : 0), 1);
  parts.push(head);
  switch (geometry.type) {
    case "Point":
      parts.push(numbers([geometry.coordinates], z));
      return;
    case "LineString":
      line(geometry.coordinates, z, parts);
      return;
    case "Polygon":
      each(geometry.coordinates, parts, (ring) => line(ring, z, parts));
      return;
    case "MultiPoint":
      each(geometry.coordinates, parts, (one) => write({ type: "Point", coordinates: one }, z, parts));
      return;
    case "MultiLineString":
      each(geometry.coordinates, parts, (one) => write({ type: "LineString", coordinates: one }, z, parts));
      return;
    case "MultiPolygon":
      each(geometry.coordinates, parts, (one) => write({ type: "Polygon", coordinates: one }, z, parts));
      return;
    case "GeometryCollection":
      each(geometry.geometries, parts, (one) => write(one, z, parts));
  }
}

function line(positions: readonly Position[], z: boolean, parts: Buffer[]): void {
  parts.push(count(positions), numbers(positions, z));
}

function each<T>(items: readonly T[], parts: Buffer[], add: (item: T) => void): void {
  parts.push(count(items));
  for (const item of items) add(item);
}

function count(items: readonly unknown[]): Buffer {
  if (!Array.isArray(items)) throw new TypeError("coordinates are missing");
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(items.length);
  return bytes;
}

function numbers(positions: readonly Position[], z: boolean): Buffer {
  const dimensions = z ? 3 : 2;
  const bytes = Buffer.alloc(positions.length * dimensions * 8);
  positions.forEach((position, index) => {
    if (!Array.isArray(position)) throw new TypeError("a position is none");
    for (let axis = 0; axis < dimensions; axis += 1) {
      bytes.writeDoubleLE(axisOf(position, axis), (index * dimensions + axis) * 8);
    }
  });
  return bytes;
}

/** A height that is missing beside others is 0, as in well-known text here. */
function axisOf(position: Position, axis: number): number {
  const number: unknown = position[axis];
  if (typeof number === "number") return number;
  if (position.length === 0) return Number.NaN;
  if (axis === 2 && number === undefined) return 0;
  throw new TypeError("a position is none");
}
