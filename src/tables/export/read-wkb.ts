import type { Geometry, GeometryCollection, Position } from "geojson";

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
