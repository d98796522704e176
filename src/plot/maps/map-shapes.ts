import type { Geometry } from "geojson";
import type { MapShapes } from "../../tables/display/live/map-payload.js";
import { packNumbers } from "../../tables/display/live/pack-numbers.js";

/** A projection that d3 draws paths with. */
export interface MapPath {
  context(sink: object): unknown;
  (geometry: Geometry): unknown;
}

/** The map for shapes. */
export interface MapBasemap {
  readonly path: MapPath;
  /** Upper left corner, in pixels. */
  readonly left: number;
  readonly top: number;
  readonly metresPerPixel: number;
}

interface Part {
  kind: 0 | 1 | 2;
  /** In pixels: x, y, x, y and so on. */
  readonly line: number[];
}

/** Minimum useful size of a pixel. */
const LEAST_METRES = 0.02;
const LEAST_ZOOM = 16;
/** Maximum zoom by the number of vertices: the size grows with both. */
const DEPTHS: readonly (readonly [vertices: number, zoom: number])[] = [
  [30_000, 2048],
  [150_000, 256],
  [400_000, 64],
  [Number.POSITIVE_INFINITY, 32],
];
/** Up to this number of vertices, a unit is half a pixel at the deepest zoom, beyond it a whole pixel. */
const FINE_VERTICES = 150_000;

/** Maximum distance of a simplified line from the original, in units. */
const TOLERANCE = 0.5;

/** Projects geometries and writes them in steps of a pixel at the deepest zoom. */
export function mapShapes(geometries: readonly Geometry[], basemap: MapBasemap): MapShapes {
  const drawn = geometries.map((geometry) => projected(geometry, basemap.path));
  let vertices = 0;
  for (const shape of drawn) for (const { line } of shape) vertices += line.length / 2;
  const deepest = deepestZoom(vertices, basemap.metresPerPixel);
  const grain = vertices <= FINE_VERTICES ? 2 * deepest : deepest;
  const sizes: number[] = [];
  const steps = { x: [] as number[], y: [] as number[] };
  let [fromX, fromY] = [0, 0];
  for (const shape of drawn) {
    for (const part of shape) {
      const line = onGrid(part, grain, basemap);
      sizes.push((3 * line.length) / 2 + part.kind);
      let [x, y] = [fromX, fromY];
      for (let at = 0; at < line.length; at += 2) {
        const [nextX = 0, nextY = 0] = [line[at], line[at + 1]];
        steps.x.push(nextX - x);
        steps.y.push(nextY - y);
        [x, y] = [nextX, nextY];
      }
      [fromX = 0, fromY = 0] = line;
    }
  }
  const counts = drawn.map(({ length }) => length);
  return {
    grain,
    deepest,
    parts: packNumbers(counts),
    sizes: packNumbers(sizes),
    x: packNumbers(steps.x),
    y: packNumbers(steps.y),
  };
}

function deepestZoom(vertices: number, metresPerPixel: number): number {
  const most = DEPTHS.find(([limit]) => vertices <= limit)?.[1] ?? LEAST_ZOOM;
  const precision = Number.isFinite(metresPerPixel) ? metresPerPixel / LEAST_METRES : most;
  return 2 ** Math.round(Math.log2(Math.max(LEAST_ZOOM, Math.min(most, precision))));
}

/** The parts of a geometry as d3 draws it: cut at the edge of the world, and curved if needed. */
function projected(geometry: Geometry, path: MapPath): readonly Part[] {
  const parts: Part[] = [];
  let part: Part | undefined;
  path.context({
    beginPath() {},
    moveTo(x: number, y: number) {
      part = { kind: 1, line: [x, y] };
      parts.push(part);
    },
    lineTo: (x: number, y: number) => part?.line.push(x, y),
    closePath() {
      if (part) part.kind = 0;
    },
    // A point starts with a move to its right edge.
    arc(x: number, y: number) {
      parts.pop();
      parts.push({ kind: 2, line: [x, y] });
    },
  });
  path(geometry);
  return parts.filter(({ kind, line }) => (kind === 2 || line.length > 2) && line.every(Number.isFinite));
}

/** A part in units, without invisible vertices. */
function onGrid({ kind, line }: Part, grain: number, { left, top }: MapBasemap): readonly number[] {
  const exact = line.map((coordinate, at) => (coordinate - (at % 2 === 0 ? left : top)) * grain);
  const simple = kind === 2 || line.length <= 8 ? exact : simplified(exact, kind === 0);
  const rounded: number[] = [];
  for (let at = 0; at < simple.length; at += 2) {
    const [x, y] = [Math.round(simple[at] as number), Math.round(simple[at + 1] as number)];
    const { length } = rounded;
    if (length === 0 || rounded[length - 2] !== x || rounded[length - 1] !== y) rounded.push(x, y);
  }
  return rounded;
}

function simplified(line: readonly number[], isRing: boolean): readonly number[] {
  if (!isRing) return simplifyLine(line, TOLERANCE);
  // Close the ring, so that its last vertex can be removed, too.
  return simplifyLine([...line, ...line.slice(0, 2)], TOLERANCE).slice(0, -2);
}

/** Coordinates x, y, x, y and so on. */
type Line = readonly number[];

/**
 * A line with fewer vertices that is at most `tolerance` away from the original (Douglas and Peucker). The first and the last
 * vertex remain.
 */
export function simplifyLine(line: Line, tolerance: number): Line {
  const last = line.length / 2 - 1;
  if (last < 2) return line;
  const kept = new Uint8Array(last + 1);
  kept[0] = kept[last] = 1;
  const open: (readonly [from: number, to: number])[] = [[0, last]];
  for (let span = open.pop(); span; span = open.pop()) {
    const [from, to] = span;
    const { index, distance } = furthest(line, from, to);
    if (distance <= tolerance) continue;
    kept[index] = 1;
    open.push([from, index], [index, to]);
  }
  return line.filter((_, coordinate) => kept[coordinate >> 1] === 1);
}

/** The vertex between two others that is farthest from the segment between them. */
function furthest(line: Line, from: number, to: number): { readonly index: number; readonly distance: number } {
  const at = (coordinate: number) => line[coordinate] as number;
  const [ax, ay] = [at(2 * from), at(2 * from + 1)];
  const [dx, dy] = [at(2 * to) - ax, at(2 * to + 1) - ay];
  const square = dx * dx + dy * dy || 1;
  let [index, most] = [from, -1];
  for (let coordinate = from + 1; coordinate < to; coordinate += 1) {
    const [px, py] = [at(2 * coordinate) - ax, at(2 * coordinate + 1) - ay];
    const share = Math.max(0, Math.min(1, (px * dx + py * dy) / square));
    const distance = Math.hypot(px - share * dx, py - share * dy);
    if (distance > most) [index, most] = [coordinate, distance];
  }
  return { index, distance: most };
}
