import type { Geometry, GeometryCollection, MultiLineString, MultiPoint, MultiPolygon, Position } from "geojson";
import { soundGeometry } from "./sound-geometry.js";

/** Codes of ISO WKB; 1000 more with a third dimension. */
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

/** Every position of a geometry, except empty ones. */
function* positions(geometry: Geometry): Generator<Position> {
  if (geometry.type === "GeometryCollection") for (const part of geometry.geometries) yield* positions(part);
  else yield* nestedPositions(geometry.coordinates);
}

function* nestedPositions(coordinates: Nested): Generator<Position> {
  if (typeof coordinates[0] === "number") yield coordinates as Position;
  else for (const part of coordinates) yield* nestedPositions(part as Nested);
}

/** A bounding box: west, south, east, north. */
export type Extent = readonly [west: number, south: number, east: number, north: number];

/** The bounding box of geometries; undefined if none of them has a position. Geometries across 180° are not split. */
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

/** Summary of a geometry column. */
export interface GeometrySummary {
  /** Distinct types as in GeoParquet: `Polygon`, `Point Z` for positions with a height. */
  readonly types: readonly string[];
  readonly extent: Extent | undefined;
}

const typesByCode: ReadonlyMap<number, string> = new Map(
  Object.entries(codes).flatMap(([type, code]) => [
    [code, type],
    [code + Z, `${type} Z`],
  ]),
);

/** The GeoParquet name of a geometry type, by its code in our well-known binary. */
export function geometryTypeOf(code: number): string {
  const type = typesByCode.get(code);
  if (type === undefined) throw new RangeError(`${code} is not a geometry type`);
  return type;
}

/** Summarizes a column of geometries, row by row; null for missing ones. */
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
 * A geometry as well-known binary (ISO 13249-3, little-endian), for GeoPackage and GeoParquet. Missing heights are 0 if
 * others exist, a point without coordinates has NaN, and empty rings are left out.
 *
 * @param geometry a valid one, see `geometryFault`
 */
export function toWkb(geometry: Geometry): Buffer {
  return encodeWkb(geometry).bytes;
}

/** A geometry as well-known binary. */
interface EncodedGeometry {
  readonly bytes: Buffer;
  /** Undefined if it has no positions. */
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
 * A value as well-known binary that every reader accepts. DuckDB rejects deeply nested collections, and GEOS, which
 * geopandas and QGIS use, rejects a whole file with lines of one position or rings that are not closed.
 *
 * @returns undefined for these, and for other values than geometries
 */
export function sharedWkb(value: unknown): EncodedGeometry | undefined {
  const geometry = soundGeometry(value);
  return geometry && isShared(geometry, 0) ? encodeWkb(geometry) : undefined;
}

/** DuckDB's limit is 15, including a point. */
const MOST_COLLECTIONS = 10;
/** The first position of a ring is also its last (RFC 7946, 3.1.6). */
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

/** Empty rings are left out: without the first one, a hole would become the polygon. */
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

/** The parts of a multi-part geometry, each as a separate geometry. */
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

  /** Bounding box of the written positions. */
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
    // Comparisons with NaN, the coordinates of an empty point, are false.
    if (x < this.#west) this.#west = x;
    if (y < this.#south) this.#south = y;
    if (x > this.#east) this.#east = x;
    if (y > this.#north) this.#north = y;
    if (this.#z) this.#at = this.#bytes.writeDoubleLE(height ?? (Number.isNaN(x) ? Number.NaN : 0), this.#at);
  }
}

const geometryTypes = [
  ...["Point", "LineString", "Polygon"],
  ...["MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection"],
] as const;

/** Bytes of a coordinate. */
const DOUBLE = 8;

/** A geometry in well-known binary (ISO 13249-3), which DuckDB returns for GEOMETRY values, as GeoJSON. */
export function readWkb(bytes: Uint8Array): Geometry {
  return new GeometryReader(bytes).read();
}

class GeometryReader {
  readonly #view: DataView;
  #at = 0;

  constructor({ buffer, byteOffset, byteLength }: Uint8Array) {
    this.#view = new DataView(buffer, byteOffset, byteLength);
  }

  /** The next geometry as GeoJSON. */
  read(): Geometry {
    const isLittle = this.#view.getUint8(this.#at) === 1;
    this.#at += 1;
    const code = this.#count(isLittle);
    const type = geometryTypes[(code % 1000) - 1];
    // 1000 for Z, 2000 for M, 3000 for both.
    const form = { isLittle, hasHeight: Math.floor(code / 1000) % 2 === 1, hasMeasure: code >= 2000 };
    const position = () => this.#position(form);
    const line = () => this.#several(isLittle, position);
    const coordinatesOf = () => (this.read() as Exclude<Geometry, GeometryCollection>).coordinates;
    switch (type) {
      case undefined:
        throw new RangeError(`${code} is not a geometry type of well-known binary`);
      case "Point":
        return { type, coordinates: position() };
      case "LineString":
        return { type, coordinates: line() };
      case "Polygon":
        return { type, coordinates: this.#several(isLittle, line) };
      case "GeometryCollection":
        return { type, geometries: this.#several(isLittle, () => this.read()) };
      default:
        return { type, coordinates: this.#several(isLittle, coordinatesOf) } as Geometry;
    }
  }

  #several<T>(isLittle: boolean, read: () => T): T[] {
    return Array.from({ length: this.#count(isLittle) }, read);
  }

  #count(isLittle: boolean): number {
    this.#at += 4;
    return this.#view.getUint32(this.#at - 4, isLittle);
  }

  /** A position; empty for an empty point. */
  #position({ isLittle, hasHeight, hasMeasure }: PositionForm): Position {
    const number = (index: number) => this.#view.getFloat64(this.#at + index * DOUBLE, isLittle);
    const position = hasHeight ? [number(0), number(1), number(2)] : [number(0), number(1)];
    this.#at += (position.length + (hasMeasure ? 1 : 0)) * DOUBLE;
    return position.every(Number.isNaN) ? [] : position;
  }
}

interface PositionForm {
  readonly isLittle: boolean;
  readonly hasHeight: boolean;
  readonly hasMeasure: boolean;
}
