import { metersBetween, type Point } from "./geometry-measures.js";

/** Meters between a query point and a point of the tree: their order decides the last digit. */
type Measure = (from: Point, to: Point) => number;

/** The radius of the sphere for distances, in meters. */
const RADIUS = metersBetween([0, 0], [180, 0]) / Math.PI;

/** More than the rounding error of a chord of a sphere of radius 1, and less than a micrometer on site. */
const LAST_DIGITS = 1e-13;

/** Number of points in a leaf, unless more have the same location. */
const LEAF = 8;

/** x, y and z. */
const AXES = 3;

/**
 * Points in a k-d tree that returns the nearest remaining point, also after removals, and for clustered or equal points.
 * They are kept on a sphere of radius 1 and compared by chords, so that 180° and the poles need no special cases. Chords
 * that are equal within rounding are measured in meters.
 *
 * The tree consists of arrays of numbers: nodes are numbered in the order of creation, the first half of a node directly
 * follows it, and the points of each node are adjacent.
 */
export class NearestPoints {
  /** Rows, with neighbors next to each other. */
  readonly rows: Uint32Array;
  readonly #points: readonly (Point | null)[];
  /** By row. */
  readonly #vectors: Float64Array;
  readonly #leaves: Uint32Array;
  readonly #isLeft: Uint8Array;
  /** The least x, y and z of each node, then the greatest. */
  readonly #boxes: number[] = [];
  readonly #parents: number[] = [];
  /** The second half of a node; 0 for a leaf. */
  readonly #seconds: number[] = [];
  /** Range of the rows of a node. Rows before the beginning of a leaf were removed. */
  readonly #begins: number[] = [];
  readonly #ends: number[] = [];
  /** Whether all points have the same longitude and latitude: then they are in order of rows, and the first is tested for all. */
  readonly #isOnePlace: boolean[] = [];
  /** Number of remaining points. */
  readonly #counts: number[] = [];
  /** The query, the squares of the nearest chord and of the longest chord that may count, and the result. */
  readonly #query = new Float64Array(AXES);
  #nearest = 0;
  #reach = 0;
  readonly #hits: number[] = [];
  #foundCount = 0;

  /** @param points by row; null if a row has no location */
  constructor(points: readonly (Point | null)[]) {
    this.#points = points;
    this.#vectors = new Float64Array(points.length * AXES);
    this.#leaves = new Uint32Array(points.length);
    this.#isLeft = new Uint8Array(points.length);
    const rows: number[] = [];
    for (const [row, point] of points.entries()) {
      // A sum of coordinates may overflow. Such a center is near nothing.
      if (!point || !Number.isFinite(point[0]) || !Number.isFinite(point[1])) continue;
      putVector(this.#vectors, row, point);
      this.#isLeft[row] = 1;
      rows.push(row);
    }
    this.rows = Uint32Array.from(rows);
    if (rows.length > 0) this.#addNode(0, rows.length, -1);
  }

  /**
   * The row of the nearest remaining point at most `maxMeters` away, the first of several equally near; -1 without one.
   */
  nearest(query: Point, maxMeters: number, measure: Measure = metersBetween): number {
    if (this.rows.length === 0) return -1;
    putVector(this.#query, 0, query);
    this.#nearest = Number.POSITIVE_INFINITY;
    const angle = maxMeters / RADIUS;
    const chord = angle < Math.PI ? 2 * Math.sin(angle / 2) : Number.POSITIVE_INFINITY;
    this.#reach = (chord + LAST_DIGITS) ** 2;
    this.#foundCount = 0;
    this.#visit(0);
    // Measuring takes longer than searching, and a single point that is not at the limit need not be measured.
    if (this.#foundCount === 1 && this.#nearest < (chord - LAST_DIGITS) ** 2) return this.#hits[0] as number;
    let [nearest, best] = [-1, Number.POSITIVE_INFINITY];
    for (let index = 0; index < this.#foundCount; index += 1) {
      const row = this.#hits[index] as number;
      if (!(this.#lengthTo(row) <= this.#reach)) continue;
      const meters = measure(query, this.#points[row] as Point);
      const isNearer = meters < best || (meters === best && row < nearest);
      if (meters <= maxMeters && isNearer) {
        nearest = row;
        best = meters;
      }
    }
    return nearest;
  }

  remove(row: number): void {
    this.#isLeft[row] = 0;
    for (let node = this.#leaves[row] as number; node >= 0; node = this.#parents[node] as number) {
      this.#counts[node] = (this.#counts[node] as number) - 1;
    }
  }

  /** Adds a node for a range of rows, and its children. */
  #addNode(begin: number, end: number, parent: number): number {
    const node = this.#parents.push(parent) - 1;
    const { axis, least, greatest } = this.#addBox(begin, end);
    this.#seconds.push(0);
    this.#begins.push(begin);
    this.#ends.push(end);
    this.#counts.push(end - begin);
    this.#isOnePlace.push(least === greatest && this.#areSame(begin, end));
    if (end - begin <= LEAF || least === greatest) {
      const rows = this.rows.subarray(begin, end).sort();
      for (const row of rows) this.#leaves[row] = node;
      return node;
    }
    // The middle of the longest side; for two adjacent numbers the middle is one of them.
    const middle = (least + greatest) / 2;
    const cut = this.#partition(begin, end, axis, middle > least ? middle : greatest);
    this.#addNode(begin, cut, node);
    this.#seconds[node] = this.#addNode(cut, end, node);
    return node;
  }

  /** Adds the box of rows, and returns its longest side. */
  #addBox(begin: number, end: number) {
    const greatests: number[] = [];
    let longest = { axis: 0, least: 0, greatest: 0 };
    for (let axis = 0; axis < AXES; axis += 1) {
      let least = Number.POSITIVE_INFINITY;
      let greatest = Number.NEGATIVE_INFINITY;
      for (let index = begin; index < end; index += 1) {
        const value = this.#vectors[(this.rows[index] as number) * AXES + axis] as number;
        if (value < least) least = value;
        if (value > greatest) greatest = value;
      }
      this.#boxes.push(least);
      greatests.push(greatest);
      if (axis === 0 || greatest - least > longest.greatest - longest.least) longest = { axis, least, greatest };
    }
    this.#boxes.push(...greatests);
    return longest;
  }

  #areSame(begin: number, end: number): boolean {
    const [longitude, latitude] = this.#points[this.rows[begin] as number] as Point;
    return this.rows.subarray(begin, end).every((row) => {
      const [x, y] = this.#points[row] as Point;
      return x === longitude && y === latitude;
    });
  }

  /** Moves rows below a number before the others, and returns the boundary. */
  #partition(begin: number, end: number, axis: number, number: number): number {
    let below = begin;
    for (let index = begin; index < end; index += 1) {
      const row = this.rows[index] as number;
      if ((this.#vectors[row * AXES + axis] as number) >= number) continue;
      this.rows[index] = this.rows[below] as number;
      this.rows[below] = row;
      below += 1;
    }
    return below;
  }

  /** Searches for the nearest point, in the nearer half first. */
  #visit(node: number): void {
    const second = this.#seconds[node] as number;
    if (second === 0) {
      this.#visitLeaf(node);
      return;
    }
    const first = node + 1;
    const toFirst = this.#lengthToBox(first);
    const toSecond = this.#lengthToBox(second);
    if (toFirst <= toSecond) {
      if (toFirst <= this.#reach) this.#visit(first);
      if (toSecond <= this.#reach) this.#visit(second);
    } else {
      if (toSecond <= this.#reach) this.#visit(second);
      if (toFirst <= this.#reach) this.#visit(first);
    }
  }

  #visitLeaf(leaf: number): void {
    const end = this.#ends[leaf] as number;
    let begin = this.#begins[leaf] as number;
    while (begin < end && this.#isLeft[this.rows[begin] as number] === 0) begin += 1;
    this.#begins[leaf] = begin;
    const last = this.#isOnePlace[leaf] ? Math.min(end, begin + 1) : end;
    for (let index = begin; index < last; index += 1) {
      const row = this.rows[index] as number;
      if (this.#isLeft[row] === 1) this.#meet(row);
    }
  }

  #meet(row: number): void {
    const length = this.#lengthTo(row);
    if (!(length <= this.#reach)) return;
    if (length < this.#nearest) {
      this.#nearest = length;
      const reach = (Math.sqrt(length) + LAST_DIGITS) ** 2;
      // The earlier result is farther away by more than the last digits.
      if (reach < this.#reach && this.#isFarther(reach)) this.#foundCount = 0;
      this.#reach = Math.min(this.#reach, reach);
    }
    this.#hits[this.#foundCount] = row;
    this.#foundCount += 1;
  }

  /** Whether all results so far are farther away than the limit. */
  #isFarther(reach: number): boolean {
    for (let index = 0; index < this.#foundCount; index += 1) {
      if (this.#lengthTo(this.#hits[index] as number) <= reach) return false;
    }
    return true;
  }

  #lengthTo(row: number): number {
    const at = row * AXES;
    const vectors = this.#vectors;
    const query = this.#query;
    const x = (vectors[at] as number) - (query[0] as number);
    const y = (vectors[at + 1] as number) - (query[1] as number);
    const z = (vectors[at + 2] as number) - (query[2] as number);
    return x * x + y * y + z * z;
  }

  /** Chord to the box of a node; infinite if no points remain there. */
  #lengthToBox(node: number): number {
    if (this.#counts[node] === 0) return Number.POSITIVE_INFINITY;
    const boxes = this.#boxes;
    const at = node * 2 * AXES;
    let length = 0;
    for (let axis = 0; axis < AXES; axis += 1) {
      const value = this.#query[axis] as number;
      const least = boxes[at + axis] as number;
      const greatest = boxes[at + AXES + axis] as number;
      const away = value < least ? least - value : value > greatest ? value - greatest : 0;
      length += away * away;
    }
    return length;
  }
}

function putVector(vectors: Float64Array, row: number, point: Point): void {
  // Remove whole turns first, since they cost digits.
  const x = ((point[0] % 360) * Math.PI) / 180;
  const y = (point[1] * Math.PI) / 180;
  const across = Math.cos(y);
  vectors[row * AXES] = across * Math.cos(x);
  vectors[row * AXES + 1] = across * Math.sin(x);
  vectors[row * AXES + 2] = Math.sin(y);
}

/**
 * Pairs of points and others that are at most `maxMeters` apart, the nearest pair first and each point and each other once.
 * Ties go to the first other, then to the first point.
 *
 * Two points that are nearest to each other are always a pair. The chain from a point to its nearest other, from there to
 * its nearest point and so on gets shorter with every step and ends at such a pair. Each step is therefore either the first
 * to its point or ends at a pair, and a list of all near pairs is not needed.
 */
export function nearestPairs(
  points: readonly (Point | null)[],
  others: readonly (Point | null)[],
  maxMeters: number,
): readonly (readonly [point: number, other: number])[] {
  const right = new NearestPoints(others);
  if (right.rows.length === 0) return [];
  const left = new NearestPoints(points);
  const nearestOther = (row: number) => right.nearest(points[row] as Point, maxMeters);
  const toPoint: Measure = (from, to) => metersBetween(to, from);
  const nearestPoint = (row: number) => left.nearest(others[row] as Point, maxMeters, toPoint);
  const pairs: (readonly [number, number])[] = [];
  const isPaired = new Uint8Array(points.length);
  // Neighbors are queried together, while they are in the processor's caches.
  for (const start of left.rows) {
    if (isPaired[start] === 1) continue;
    // Points and others alternate.
    const way = [start];
    while (way.length > 0) {
      const here = way.at(-1) as number;
      const isPoint = way.length % 2 === 1;
      const next = isPoint ? nearestOther(here) : nearestPoint(here);
      // Only the first point may have nothing near.
      if (next < 0) break;
      if (next !== way.at(-2)) {
        way.push(next);
        continue;
      }
      way.pop();
      way.pop();
      const row = isPoint ? here : next;
      const other = isPoint ? next : here;
      pairs.push([row, other]);
      isPaired[row] = 1;
      left.remove(row);
      right.remove(other);
    }
  }
  return pairs;
}
