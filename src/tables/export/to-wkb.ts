import type { Geometry, GeometryCollection, MultiLineString, MultiPoint, MultiPolygon, Position } from "geojson";
import { soundGeometry } from "./sound-geometry.js";

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

type Nested = readonly (number | Nested)[];

/** Whether positions of a geometry have a height. */
function hasHeight(geometry: Geometry): boolean {
  return geometry.type === "GeometryCollection"
    ? geometry.geometries.some(hasHeight)
    : haveHeight(geometry.coordinates as Nested);
}

function haveHeight(coordinates: Nested): boolean {
  if (typeof coordinates[0] === "number") return coordinates.length > 2;
  return coordinates.some((part) => haveHeight(part as Nested));
}

/** Every position of a geometry; empty ones are none. */
function* positions(geometry: Geometry): Generator<Position> {
  if (geometry.type === "GeometryCollection") for (const part of geometry.geometries) yield* positions(part);
  else yield* nestedPositions(geometry.coordinates);
}

function* nestedPositions(coordinates: Nested): Generator<Position> {
  if (typeof coordinates[0] === "number") yield coordinates as Position;
  else for (const part of coordinates) yield* nestedPositions(part as Nested);
}

/** The smallest box around geometries: west, south, east, north. */
export type Extent = readonly [west: number, south: number, east: number, north: number];

/** The smallest box around geometries; undefined if there is none with a position. Those across 180° are not cut. */
export function extentOf(geometries: Iterable<Geometry>): Extent | undefined {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const geometry of geometries) {
    for (const [x = Number.NaN, y = Number.NaN] of positions(geometry)) {
      west = Math.min(west, x);
      south = Math.min(south, y);
      east = Math.max(east, x);
      north = Math.max(north, y);
    }
  }
  return west <= east ? [west, south, east, north] : undefined;
}

/** What the geometries of a column are together. */
export interface GeometrySummary {
  /** As GeoParquet names them, each once: `Polygon`, `Point Z` of positions with a height. */
  readonly types: readonly string[];
  readonly extent: Extent | undefined;
}

const typesByCode: ReadonlyMap<number, string> = new Map(
  Object.entries(codes).flatMap(([type, code]) => [
    [code, type],
    [code + Z, `${type} Z`],
  ]),
);

/** The type of a geometry as GeoParquet names it, of its code in well-known binary of ours. */
export function geometryTypeOf(code: number): string {
  const type = typesByCode.get(code);
  if (type === undefined) throw new RangeError(`${code} is no type of geometry`);
  return type;
}

/** Looks through a column of geometries, row by row; null where there is none. */
export function summarizeGeometries(rowCount: number, at: (row: number) => Geometry | null): GeometrySummary {
  const types = new Set<string>();
  function* present() {
    for (let row = 0; row < rowCount; row += 1) {
      const geometry = at(row);
      if (!geometry) continue;
      types.add(`${geometry.type}${hasHeight(geometry) ? " Z" : ""}`);
      yield geometry;
    }
  }
  const extent = extentOf(present());
  return { types: [...types], extent };
}

/**
 * A geometry as well-known binary (ISO 13249-3, little-endian), for GeoPackage and GeoParquet. A height that is missing
 * beside others is 0, a point without coordinates has those of no number, and empty rings are left out.
 *
 * @param geometry one without a fault, see `geometryFault`
 */
export function toWkb(geometry: Geometry): Buffer {
  return encodeWkb(geometry).bytes;
}

/** A geometry as well-known binary. */
interface EncodedGeometry {
  readonly bytes: Buffer;
  /** Undefined if it has no position. */
  readonly extent: Extent | undefined;
}

function encodeWkb(geometry: Geometry): EncodedGeometry {
  const z = hasHeight(geometry);
  const bytes = Buffer.allocUnsafe(sizeOf(geometry, z ? 24 : 16));
  const writer = new Writer(bytes, z);
  writer.write(geometry);
  return { bytes, extent: writer.extent };
}

/**
 * A value as the well-known binary that every reader takes: DuckDB refuses collections deep within each other, and GEOS, by
 * which geopandas and QGIS read, lines of one position and rings that are not closed, with the whole file that they are in.
 *
 * @returns undefined for these, and for what is no geometry
 */
export function sharedWkb(value: unknown): EncodedGeometry | undefined {
  const geometry = soundGeometry(value);
  return geometry && isShared(geometry, 0) ? encodeWkb(geometry) : undefined;
}

/** DuckDB takes 15, of which one may be a point's. */
const MOST_COLLECTIONS = 10;
/** The first position of a ring is its last, too (RFC 7946, 3.1.6). */
const RING_POSITIONS = 4;

function isShared(geometry: Geometry, collections: number): boolean {
  switch (geometry.type) {
    case "LineString":
      return isLine(geometry.coordinates);
    case "MultiLineString":
      return geometry.coordinates.every(isLine);
    case "Polygon":
      return areRings(geometry.coordinates);
    case "MultiPolygon":
      return geometry.coordinates.every(areRings);
    case "GeometryCollection":
      return (
        collections < MOST_COLLECTIONS && geometry.geometries.every((part: Geometry) => isShared(part, collections + 1))
      );
    default:
      return true;
  }
}

function isLine(line: readonly Position[]): boolean {
  return line.length !== 1;
}

/** Empty rings are left out: without the first one a hole would be the polygon. */
function areRings(rings: readonly (readonly Position[])[]): boolean {
  return rings[0]?.length === 0 ? rings.every(({ length }) => length === 0) : rings.every(isRing);
}

function isRing(ring: readonly Position[]): boolean {
  if (ring.length === 0) return true;
  const [first, last] = [ring[0], ring.at(-1)] as readonly [Position, Position];
  return ring.length >= RING_POSITIONS && first[0] === last[0] && first[1] === last[1];
}

const HEAD = 5;
const COUNT = 4;

/** The parts of a geometry of several, each a geometry of its own. */
function partsOf(geometry: MultiPoint | MultiLineString | MultiPolygon | GeometryCollection): readonly Geometry[] {
  switch (geometry.type) {
    case "MultiPoint":
      return geometry.coordinates.map((coordinates) => ({ type: "Point", coordinates }));
    case "MultiLineString":
      return geometry.coordinates.map((coordinates) => ({ type: "LineString", coordinates }));
    case "MultiPolygon":
      return geometry.coordinates.map((coordinates) => ({ type: "Polygon", coordinates }));
    case "GeometryCollection":
      return geometry.geometries;
  }
}

/** @param step bytes of a position */
function sizeOf(geometry: Geometry, step: number): number {
  const line = (positions: readonly Position[]) => COUNT + step * positions.length;
  switch (geometry.type) {
    case "Point":
      return HEAD + step;
    case "LineString":
      return HEAD + line(geometry.coordinates);
    case "Polygon":
      return geometry.coordinates.reduce((sum, ring) => (ring.length === 0 ? sum : sum + line(ring)), HEAD + COUNT);
    default:
      return partsOf(geometry).reduce((sum, part) => sum + sizeOf(part, step), HEAD + COUNT);
  }
}

class Writer {
  readonly #bytes: Buffer;
  readonly #z: boolean;
  #at = 0;
  #west = Infinity;
  #south = Infinity;
  #east = -Infinity;
  #north = -Infinity;

  constructor(bytes: Buffer, z: boolean) {
    this.#bytes = bytes;
    this.#z = z;
  }

  /** Of what was written. */
  get extent(): Extent | undefined {
    return this.#west <= this.#east ? [this.#west, this.#south, this.#east, this.#north] : undefined;
  }

  write(geometry: Geometry): void {
    this.#at = this.#bytes.writeUInt8(1, this.#at);
    this.#count(codes[geometry.type] + (this.#z ? Z : 0));
    switch (geometry.type) {
      case "Point":
        this.#position(geometry.coordinates);
        return;
      case "LineString":
        this.#line(geometry.coordinates);
        return;
      case "Polygon":
        this.#polygon(geometry.coordinates);
        return;
      default: {
        const parts = partsOf(geometry);
        this.#count(parts.length);
        for (const part of parts) this.write(part);
      }
    }
  }

  #polygon(rings: readonly Position[][]): void {
    const full = rings.filter((ring) => ring.length > 0);
    this.#count(full.length);
    for (const ring of full) this.#line(ring);
  }

  #line(line: readonly Position[]): void {
    this.#count(line.length);
    for (const position of line) this.#position(position);
  }

  #count(count: number): void {
    this.#at = this.#bytes.writeUInt32LE(count, this.#at);
  }

  #position([x = Number.NaN, y = Number.NaN, height]: Position): void {
    this.#at = this.#bytes.writeDoubleLE(x, this.#at);
    this.#at = this.#bytes.writeDoubleLE(y, this.#at);
    // Of no number, as the coordinates of an empty point are, no comparison holds.
    if (x < this.#west) this.#west = x;
    if (y < this.#south) this.#south = y;
    if (x > this.#east) this.#east = x;
    if (y > this.#north) this.#north = y;
    if (this.#z) this.#at = this.#bytes.writeDoubleLE(height ?? (Number.isNaN(x) ? Number.NaN : 0), this.#at);
  }
}
