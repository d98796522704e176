import type { Position } from "geojson";
import { ascii } from "../json/ascii.js";
import type { JsonBytes } from "../json/json-bytes.js";
import { Literal } from "../json/literal.js";
import { readNumber } from "../json/read-number.js";
import { MALFORMED } from "../json/scan-json.js";
import { GrowingArray } from "./growing-array.js";

/** A geometry that is no collection. */
export type FlatGeometry = { readonly type: GeometryType; readonly coordinates: Nested };
export type GeometryType = "Point" | "MultiPoint" | "LineString" | "MultiLineString" | "Polygon" | "MultiPolygon";
type Nested = number | readonly Nested[];

interface Form {
  readonly type: GeometryType;
  /** How many arrays lie around a position. */
  readonly depth: number;
  readonly head: Literal;
}

const depths: Readonly<Record<GeometryType, number>> = {
  Polygon: 2,
  Point: 0,
  LineString: 1,
  MultiPolygon: 3,
  MultiPoint: 1,
  MultiLineString: 2,
};

const forms = Object.entries(depths).map(
  ([type, depth]): Form => ({
    type: type as GeometryType,
    depth,
    head: new Literal(new Uint8Array(Buffer.from(`{"type":"${type}","coordinates":`))),
  }),
);

/**
 * Geometries as flat coordinates. A geometry is its form, its number of dimensions, and counts in the order of the
 * text: of a polygon's rings, of the first ring's positions, of the second's.
 */
export class GeometryHeap {
  readonly #coordinates = new GrowingArray(Float64Array);
  readonly #counts = new GrowingArray(Int32Array);
  /** Per geometry: index of its form × 4 + dimensions, start in `#counts`, start in `#coordinates`. */
  readonly #entries = new GrowingArray(Float64Array);
  #likely = forms[0];
  #dimensions = 0;

  /** Index of the geometry that was read last. */
  get last(): number {
    return this.#entries.length / 3 - 1;
  }

  /**
   * Reads the geometry at `start`: without whitespace, `type` first, `coordinates` second and last, positions of two
   * or three numbers.
   *
   * @returns the position after it; `MALFORMED` for anything else, also where it is valid JSON
   */
  read(json: JsonBytes, start: number): number {
    const form = this.#formAt(json, start);
    if (!form) return MALFORMED;
    const [counts, coordinates] = [this.#counts.length, this.#coordinates.length];
    this.#dimensions = 0;
    const end = this.#readNested(json, start + form.head.length, form.depth);
    if (end === MALFORMED || json.bytes[end] !== ascii.closeBrace) {
      this.#counts.length = counts;
      this.#coordinates.length = coordinates;
      return MALFORMED;
    }
    this.#entries.push(forms.indexOf(form) * 4 + this.#dimensions);
    this.#entries.push(counts);
    this.#entries.push(coordinates);
    return end + 1;
  }

  /** The geometry as GeoJSON, made anew with each call. */
  at(index: number): FlatGeometry | undefined {
    const entry = this.#entries.at(3 * index);
    const form = forms[entry >> 2];
    if (!form) return undefined;
    const reader = new NestedReader(
      this.#counts,
      this.#entries.at(3 * index + 1),
      this.#coordinates,
      this.#entries.at(3 * index + 2),
      entry & 3,
    );
    return { type: form.type, coordinates: reader.read(form.depth) };
  }

  #formAt(json: JsonBytes, start: number): Form | undefined {
    if (this.#likely?.head.isAt(json, start)) return this.#likely;
    const form = forms.find(({ head }) => head.isAt(json, start));
    if (form) this.#likely = form;
    return form;
  }

  #readNested(json: JsonBytes, start: number, depth: number): number {
    const { bytes } = json;
    if (bytes[start] !== ascii.openBracket) return MALFORMED;
    if (depth === 0) return this.#readPosition(json, start);
    const slot = this.#counts.length;
    this.#counts.push(0);
    if (bytes[start + 1] === ascii.closeBracket) return start + 2;
    let p = start;
    let count = 0;
    do {
      p = this.#readNested(json, p + 1, depth - 1);
      if (p === MALFORMED) return MALFORMED;
      count += 1;
    } while (bytes[p] === ascii.comma);
    this.#counts.set(slot, count);
    return bytes[p] === ascii.closeBracket ? p + 1 : MALFORMED;
  }

  #readPosition(json: JsonBytes, start: number): number {
    const { bytes } = json;
    const out = this.#coordinates;
    const first = out.length;
    out.reserve(3);
    let p = start;
    let count = 0;
    do {
      if (count === 3) return MALFORMED;
      p = readNumber(json, p + 1, out.values, first + count);
      if (p === MALFORMED) return MALFORMED;
      count += 1;
    } while (bytes[p] === ascii.comma);
    if (count < 2 || bytes[p] !== ascii.closeBracket) return MALFORMED;
    if (this.#dimensions === 0) this.#dimensions = count;
    out.length = first + count;
    return this.#dimensions === count ? p + 1 : MALFORMED;
  }
}

class NestedReader {
  readonly #counts: GrowingArray<Int32Array>;
  readonly #coordinates: GrowingArray<Float64Array>;
  readonly #dimensions: number;
  #count: number;
  #coordinate: number;

  constructor(
    counts: GrowingArray<Int32Array>,
    count: number,
    coordinates: GrowingArray<Float64Array>,
    coordinate: number,
    dimensions: number,
  ) {
    this.#counts = counts;
    this.#coordinates = coordinates;
    this.#dimensions = dimensions;
    this.#count = count;
    this.#coordinate = coordinate;
  }

  read(depth: number): readonly Nested[] {
    if (depth === 0) return this.#position();
    const length = this.#counts.at(this.#count);
    this.#count += 1;
    return Array.from({ length }, () => this.read(depth - 1));
  }

  #position(): Position {
    const start = this.#coordinate;
    this.#coordinate += this.#dimensions;
    return Array.from(this.#coordinates.values.subarray(start, this.#coordinate));
  }
}
