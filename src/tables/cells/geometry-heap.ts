import type { Position } from "geojson";
import { ArgumentError } from "../../core/errors.js";
import { Literal, readNumber } from "../json/read-value.js";
import { ascii, type JsonBytes, MALFORMED } from "../json/scan-json.js";
import { type GeometryType, geometryDepths } from "../types/geometry-types.js";

const SEGMENT = 1 << 16;
/** A cell has 32 bits for a position. */
const MOST_SEGMENTS = 2 ** 32 / SEGMENT;

/**
 * Contiguous runs of numbers. Segments are never moved, so growing copies only the run that is being written; no run
 * spans two segments.
 */
class NumberHeap {
  /** The segment of the current run. Making room may replace it. */
  values: Float64Array = new Float64Array(0);
  /** Start of the run in it. */
  start = 0;
  /** Index of the next number in it. */
  end = 0;
  /** The segments by position. A long segment occurs several times, and `#firsts` has its first position. */
  readonly #segments: Float64Array[] = [];
  readonly #firsts: number[] = [];
  /** Index of the current segment. */
  #first = -1;

  constructor() {
    // Set twice, so that V8 does not treat it as constant: see `TextDictionary`.
    this.#first = 0;
  }

  /** Starts a run after the last one. */
  begin(): void {
    this.start = this.end;
  }

  /** Discards the current run. */
  cancel(): void {
    this.end = this.start;
  }

  /** The position of the current run. */
  get position(): number {
    return this.#first * SEGMENT + this.start;
  }

  /** The position of the next run, and the free space for its numbers there. */
  get next(): number {
    return this.#first * SEGMENT + this.end;
  }

  get room(): number {
    return this.values.length - this.end;
  }

  /** Adds the numbers of several runs. There must be room for them. */
  append(numbers: Float64Array): void {
    this.values.set(numbers, this.end);
    this.end += numbers.length;
  }

  /**
   * Makes room for `count` more numbers of the run.
   *
   * @throws ArgumentError beyond 32 GiB
   */
  reserve(count: number): void {
    if (this.end + count > this.values.length) this.#move(count);
  }

  /** The rest of a segment from a position on. */
  at(position: number): Float64Array {
    const segment = Math.floor(position / SEGMENT);
    const start = position - (this.#firsts[segment] as number) * SEGMENT;
    return this.#segments[segment]?.subarray(start) ?? new Float64Array(0);
  }

  /** Moves the run to the beginning of a segment with enough room. */
  #move(count: number): void {
    const run = this.values.subarray(this.start, this.end);
    const segments = Math.ceil(Math.max(1, (2 * (run.length + count)) / SEGMENT));
    // A segment with no other run is no longer needed.
    if (this.start > 0) this.#first = this.#segments.length;
    if (this.#first + segments > MOST_SEGMENTS) {
      throw new ArgumentError("The geometries of one read have more than 4,294,967,296 numbers.", {
        hint: "Read fewer records at a time, for example site by site.",
      });
    }
    this.values = new Float64Array(segments * SEGMENT);
    this.values.set(run);
    this.start = 0;
    this.end = run.length;
    for (let segment = this.#first; segment < this.#first + segments; segment += 1) {
      this.#segments[segment] = this.values;
      this.#firsts[segment] = this.#first;
    }
  }
}

/** A geometry other than a collection. */
export type FlatGeometry = { readonly type: GeometryType; readonly coordinates: Nested };
type Nested = number | readonly Nested[];

interface Form {
  readonly type: GeometryType;
  readonly depth: number;
  readonly head: Literal;
}

const forms = Object.entries(geometryDepths).map(
  ([type, depth]): Form => ({
    type: type as GeometryType,
    depth,
    head: new Literal(new Uint8Array(Buffer.from(`{"type":"${type}","coordinates":`))),
  }),
);

/**
 * Geometries as runs of numbers: a geometry's form × 4 + dimensions, then counts and coordinates in the order of the
 * text: for a polygon the number of rings, the number of positions of the first ring, these positions, and so on.
 */
export class GeometryHeap {
  /** The runs. */
  readonly numbers = new NumberHeap();
  #likely = forms[0];
  #dimensions = 0;

  /** Position of the last geometry read. */
  get last(): number {
    return this.numbers.position;
  }

  /**
   * Reads the geometry at `start`: without whitespace, `type` first, `coordinates` second and last, positions of two or
   * three numbers.
   *
   * @returns the position after it; `MALFORMED` for any other form, even if it is valid JSON
   */
  read(json: JsonBytes, start: number): number {
    const form = this.#formAt(json, start);
    if (!form) return MALFORMED;
    const heap = this.numbers;
    heap.begin();
    this.#leaveRoom();
    this.#dimensions = 0;
    const end = this.#readNested(json, start + form.head.length, form.depth);
    if (end === MALFORMED || json.bytes[end] !== ascii.closeBrace) {
      heap.cancel();
      return MALFORMED;
    }
    heap.values[heap.start] = forms.indexOf(form) * 4 + this.#dimensions;
    return end + 1;
  }

  /** The geometry at a position as GeoJSON, a new object with each call. */
  at(position: number): FlatGeometry | undefined {
    const run = this.numbers.at(position);
    const head = run[0] as number;
    const form = forms[head >> 2];
    if (!form) return undefined;
    return { type: form.type, coordinates: new NestedReader(run, head & 3).read(form.depth) };
  }

  /** Reserves a number that is known later, and returns its index relative to the beginning of the run. */
  #leaveRoom(): number {
    const heap = this.numbers;
    heap.reserve(1);
    heap.end += 1;
    return heap.end - 1 - heap.start;
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
    const slot = this.#leaveRoom();
    if (bytes[start + 1] === ascii.closeBracket) {
      this.numbers.values[this.numbers.start + slot] = 0;
      return start + 2;
    }
    let p = start;
    let count = 0;
    do {
      p = this.#readNested(json, p + 1, depth - 1);
      if (p === MALFORMED) return MALFORMED;
      count += 1;
    } while (bytes[p] === ascii.comma);
    this.numbers.values[this.numbers.start + slot] = count;
    return bytes[p] === ascii.closeBracket ? p + 1 : MALFORMED;
  }

  #readPosition(json: JsonBytes, start: number): number {
    const { bytes } = json;
    const heap = this.numbers;
    heap.reserve(3);
    const { values, end } = heap;
    let p = start;
    let count = 0;
    do {
      if (count === 3) return MALFORMED;
      p = readNumber(json, p + 1, values, end + count);
      if (p === MALFORMED) return MALFORMED;
      count += 1;
    } while (bytes[p] === ascii.comma);
    if (count < 2 || bytes[p] !== ascii.closeBracket) return MALFORMED;
    if (this.#dimensions === 0) this.#dimensions = count;
    heap.end = end + count;
    return this.#dimensions === count ? p + 1 : MALFORMED;
  }
}

class NestedReader {
  readonly #run: Float64Array;
  readonly #dimensions: number;
  /** After the head. */
  #next = 1;

  constructor(run: Float64Array, dimensions: number) {
    this.#run = run;
    this.#dimensions = dimensions;
  }

  read(depth: number): readonly Nested[] {
    if (depth === 0) return this.#position();
    const length = this.#run[this.#next] as number;
    this.#next += 1;
    return Array.from({ length }, () => this.read(depth - 1));
  }

  #position(): Position {
    const start = this.#next;
    this.#next += this.#dimensions;
    return Array.from(this.#run.subarray(start, this.#next));
  }
}
