// Shapes of a map: reads them, and finds those under a pointer. Does not use the DOM. All lengths are in units of the
// shapes.

import type { MapShapes } from "../../tables/display/live/map-payload.js";
import { unpackNumbers } from "../../tables/display/live/pack-numbers.js";
import { clamp } from "../page/clamp.js";

/** Shapes in more cells of the grid than this are always tested. */
const WIDE = 256;

type PackedShapes = Omit<MapShapes, "grain" | "deepest">;
type Box = readonly [left: number, top: number, right: number, bottom: number];

/** Shapes, which have parts, which have vertices. */
interface Shapes {
  readonly count: number;
  /** First part of each shape; the last entry is the number of parts. */
  readonly parts: Uint32Array;
  /** First vertex of each part; the last entry is the number of vertices. */
  readonly starts: Uint32Array;
  /** Kind of each part: 0 ring, 1 line, 2 point. */
  readonly kinds: Uint8Array;
  readonly x: Int32Array;
  readonly y: Int32Array;
  /** Left, top, right and bottom of each shape. */
  readonly boxes: Int32Array;
}

export interface FrameShapes extends Shapes {
  /**
   * The row at a position: the nearest line or point, else the smallest area around it, else the nearest area that is
   * not wider than the reach. -1 for none.
   */
  find(x: number, y: number, reach: number, isSeen: (row: number) => boolean): number;
  /** Rows with at least half of their vertices inside a ring: x, y, x, y and so on. */
  within(ring: readonly number[], isSeen: (row: number) => boolean): readonly number[];
  /** The rows of each place with several points, by row. */
  readonly shared: ReadonlyMap<number, readonly number[]>;
  /** The center of a shape's areas, else of its lines, else the mean of its points. */
  centre(row: number): readonly [x: number, y: number];
}

function read(packed: PackedShapes): Shapes {
  const [counts, sizes] = [unpackNumbers(packed.parts), unpackNumbers(packed.sizes)];
  const [x, y] = [unpackNumbers(packed.x), unpackNumbers(packed.y)];
  const parts = new Uint32Array(counts.length + 1);
  const starts = new Uint32Array(sizes.length + 1);
  const kinds = new Uint8Array(sizes.length);
  const boxes = new Int32Array(4 * counts.length);
  let [part, at, startX, startY] = [0, 0, 0, 0];
  for (const [row, count] of counts.entries()) {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const end = part + count; part < end; part += 1) {
      const size = sizes[part] as number;
      const kind = size % 3;
      kinds[part] = kind;
      const start = at;
      const stop = start + (size - kind) / 3;
      let [fromX, fromY] = [startX, startY];
      for (; at < stop; at += 1) {
        fromX += x[at] as number;
        fromY += y[at] as number;
        [x[at], y[at]] = [fromX, fromY];
        if (at === start) [startX, startY] = [fromX, fromY];
        left = Math.min(left, fromX);
        right = Math.max(right, fromX);
        top = Math.min(top, fromY);
        bottom = Math.max(bottom, fromY);
      }
      starts[part + 1] = stop;
    }
    parts[row + 1] = part;
    // A shape without parts gets a box that nothing intersects.
    boxes.set(count > 0 ? [left, top, right, bottom] : [1, 1, 0, 0], 4 * row);
  }
  return { parts, starts, kinds, x, y, boxes, count: counts.length };
}

function boxOf({ boxes }: Shapes, row: number): Box {
  return boxes.subarray(4 * row, 4 * row + 4) as unknown as Box;
}

/** Rows by cell of a grid, for rows that respond to the pointer. */
function gridOf(shapes: Shapes, pointable: number, width: number, height: number) {
  const side = Math.max(1, Math.sqrt((4 * width * height) / Math.max(pointable, 1)), Math.max(width, height) / 1000);
  const [across, down] = [Math.ceil(width / side), Math.ceil(height / side)];
  const column = (x: number) => clamp(0, across - 1, Math.floor(x / side));
  const line = (y: number) => clamp(0, down - 1, Math.floor(y / side));
  const wide: number[] = [];
  /** Calls back for each row with its cells, or with -1 if there are many. */
  const each = (call: (cell: number, row: number) => void) => {
    for (let row = 0; row < pointable; row += 1) {
      const [left, top, right, bottom] = boxOf(shapes, row);
      if (left > right) continue;
      const [c0, c1, l0, l1] = [column(left), column(right), line(top), line(bottom)];
      if ((c1 - c0 + 1) * (l1 - l0 + 1) > WIDE) call(-1, row);
      else for (let l = l0; l <= l1; l += 1) for (let c = c0; c <= c1; c += 1) call(c + across * l, row);
    }
  };
  const ends = new Uint32Array(across * down + 1);
  const endOf = (cell: number) => ends[cell + 1] as number;
  each((cell, row) => {
    if (cell < 0) wide.push(row);
    else ends[cell + 1] = endOf(cell) + 1;
  });
  for (let cell = 0; cell < across * down; cell += 1) ends[cell + 1] = endOf(cell) + endOf(cell - 1);
  const rows = new Uint32Array(endOf(across * down - 1));
  const next = ends.slice();
  each((cell, row) => {
    if (cell < 0) return;
    const position = next[cell] as number;
    rows[position] = row;
    next[cell] = position + 1;
  });
  /** Calls back for every row that may be within reach of a position, for some rows more than once. */
  return (x: number, y: number, reach: number, call: (row: number) => void) => {
    for (const row of wide) call(row);
    const [c0, c1, l0, l1] = [column(x - reach), column(x + reach), line(y - reach), line(y + reach)];
    for (let l = l0; l <= l1; l += 1) {
      for (let c = c0; c <= c1; c += 1) {
        const cell = c + across * l;
        for (let at = endOf(cell - 1); at < endOf(cell); at += 1) call(rows[at] as number);
      }
    }
  };
}

/** The first vertex and the vertex after the last of each part of a row with the given kind. */
function* partsOf(
  { parts, starts, kinds }: Shapes,
  row: number,
  isKind: (kind: number) => boolean,
): Iterable<readonly [start: number, end: number]> {
  for (let part = parts[row] as number; part < (parts[row + 1] as number); part += 1) {
    if (isKind(kinds[part] as number)) yield [starts[part] as number, starts[part + 1] as number];
  }
}

/** Whether a position is inside a shape's rings, by the nonzero rule of canvases. */
function isInside(shapes: Shapes, row: number, px: number, py: number): boolean {
  const { x, y } = shapes;
  let turns = 0;
  for (const [start, end] of partsOf(shapes, row, (kind) => kind === 0)) {
    let [beforeX, beforeY] = [x[end - 1] as number, y[end - 1] as number];
    for (let at = start; at < end; at += 1) {
      const [atX, atY] = [x[at] as number, y[at] as number];
      const isBelow = atY > py;
      if (isBelow !== beforeY > py) {
        const side = (beforeX - atX) * (py - atY) - (px - atX) * (beforeY - atY);
        if (isBelow ? side > 0 : side < 0) turns += isBelow ? 1 : -1;
      }
      [beforeX, beforeY] = [atX, atY];
    }
  }
  return turns !== 0;
}

/** The squared distance to a shape's lines and points. */
function distance(shapes: Shapes, row: number, px: number, py: number): number {
  const { x, y } = shapes;
  let least = Infinity;
  for (const [start, end] of partsOf(shapes, row, (kind) => kind !== 0)) {
    let [fromX, fromY] = [x[start] as number, y[start] as number];
    for (let at = start; at < end; at += 1) {
      const [dx, dy] = [(x[at] as number) - fromX, (y[at] as number) - fromY];
      const share = ((px - fromX) * dx + (py - fromY) * dy) / (dx * dx + dy * dy || 1);
      const near = clamp(0, 1, share);
      least = Math.min(least, (fromX + near * dx - px) ** 2 + (fromY + near * dy - py) ** 2);
      [fromX, fromY] = [fromX + dx, fromY + dy];
    }
  }
  return least;
}

/** Whether a position is inside a ring of pairs, which may cross itself. */
function isAround(ring: readonly number[], px: number, py: number): boolean {
  let isIn = false;
  let [beforeX, beforeY] = ring.slice(-2) as [number, number];
  for (let at = 0; at < ring.length; at += 2) {
    const [atX, atY] = [ring[at] as number, ring[at + 1] as number];
    if (atY > py !== beforeY > py && px < ((beforeX - atX) * (py - atY)) / (beforeY - atY) + atX) isIn = !isIn;
    [beforeX, beforeY] = [atX, atY];
  }
  return isIn;
}

function rowsWithin(shapes: Shapes, pointable: number, ring: readonly number[], isSeen: (row: number) => boolean) {
  const { parts, starts, x, y } = shapes;
  const sides = [0, 1].map((side) => ring.filter((_, at) => at % 2 === side));
  const [[left, right], [top, bottom]] = sides.map((all) => [
    all.reduce((a, b) => Math.min(a, b)),
    all.reduce((a, b) => Math.max(a, b)),
  ]) as [[number, number], [number, number]];
  const isWithin = (row: number) => {
    const [west, north, east, south] = boxOf(shapes, row);
    if (west > east || west > right || east < left || north > bottom || south < top || !isSeen(row)) return false;
    const [start, end] = [starts[parts[row] as number] as number, starts[parts[row + 1] as number] as number];
    let inside = 0;
    for (let at = start; at < end; at += 1) if (isAround(ring, x[at] as number, y[at] as number)) inside += 1;
    return 2 * inside >= end - start;
  };
  return Array.from({ length: pointable }, (_, row) => row).filter(isWithin);
}

/** Rows of single points at the same position, which remain together at any zoom. */
function sharedPlaces({ parts, starts, kinds, x, y }: Shapes, pointable: number): FrameShapes["shared"] {
  const known = new Map<number, number[]>();
  const shared = new Map<number, readonly number[]>();
  for (let row = 0; row < pointable; row += 1) {
    const part = parts[row] as number;
    if (parts[row + 1] !== part + 1 || kinds[part] !== 2) continue;
    const at = starts[part] as number;
    const key = (x[at] as number) * 2 ** 26 + (y[at] as number);
    const rows = known.get(key);
    if (rows) {
      rows.push(row);
      for (const one of [rows[0] as number, row]) shared.set(one, rows);
    } else known.set(key, [row]);
  }
  return shared;
}

/** Sums triangles, segments or points, weighted by size. */
function centerOf(shapes: Shapes, row: number): readonly [x: number, y: number] {
  const { x, y, kinds, parts } = shapes;
  const [originX, originY] = boxOf(shapes, row);
  const least = kinds.subarray(parts[row], parts[row + 1]).reduce((a, b) => Math.min(a, b), 2);
  for (const dimension of [0, 1, 2]) {
    let [weight, sumX, sumY] = [0, 0, 0];
    for (const [start, end] of partsOf(shapes, row, (kind) => kind === least)) {
      // A ring and a point end where they began; an outline without area counts as a line.
      let before = least === 1 ? start : end - 1;
      for (let at = least === 1 ? start + 1 : start; at < end; at += 1) {
        const [fromX, fromY] = [(x[before] as number) - originX, (y[before] as number) - originY];
        const [toX, toY] = [(x[at] as number) - originX, (y[at] as number) - originY];
        const heavy = [(fromX * toY - toX * fromY) / 2, Math.hypot(toX - fromX, toY - fromY), 1][dimension] as number;
        const share = dimension === 0 ? 3 : 2;
        weight += heavy;
        sumX += (heavy * (fromX + toX)) / share;
        sumY += (heavy * (fromY + toY)) / share;
        before = at;
      }
    }
    if (weight !== 0 && dimension >= least) return [originX + sumX / weight, originY + sumY / weight];
  }
  return [originX, originY];
}

/** @param pointable number of rows that can be found; the others come after them */
export function frameShapes(packed: PackedShapes, pointable: number, width: number, height: number): FrameShapes {
  const shapes = read(packed);
  const nearby = gridOf(shapes, pointable, width, height);
  const find: FrameShapes["find"] = (px, py, reach, isSeen) => {
    let [line, lineFar] = [-1, reach ** 2];
    let [area, areaSize] = [-1, Infinity];
    let [small, smallFar] = [-1, reach ** 2];
    nearby(px, py, reach, (row) => {
      const [left, top, right, bottom] = boxOf(shapes, row);
      const box = Math.max(left - px, 0, px - right) ** 2 + Math.max(top - py, 0, py - bottom) ** 2;
      if (box > reach ** 2 || !isSeen(row)) return;
      const far = distance(shapes, row, px, py);
      if (far <= lineFar) [line, lineFar] = [row, far];
      const [wide, high] = [right - left, bottom - top];
      if (box === 0 && wide * high <= areaSize && isInside(shapes, row, px, py)) [area, areaSize] = [row, wide * high];
      if (Math.min(wide, high) <= reach && box <= smallFar) [small, smallFar] = [row, box];
    });
    return line >= 0 ? line : area >= 0 ? area : small;
  };
  const within: FrameShapes["within"] = (ring, isSeen) => rowsWithin(shapes, pointable, ring, isSeen);
  const shared = sharedPlaces(shapes, pointable);
  return { ...shapes, find, within, shared, centre: (row) => centerOf(shapes, row) };
}
