import booleanPointInPolygon from "@turf/boolean-point-in-polygon";
import fc from "fast-check";
import type { Geometry } from "geojson";
import { describe, expect, test } from "vitest";
import { frameShapes } from "../../../src/browser/map/map-shapes.js";
import { mapShapes, simplifyLine } from "../../../src/plot/maps/map-shapes.js";
import { packNumbers, unpackNumbers } from "../../../src/tables/display/live/pack-numbers.js";
import { randomRuns } from "../../support/random-runs.js";

describe("packNumbers", () => {
  test("writes numbers of one, two and more characters", () => {
    const values = [0, -1, 43, -44, 13_867, -13_867, 13_868, -13_868, 50_000_000, -50_000_000];
    const text = packNumbers(values);
    expect([...unpackNumbers(text)]).toEqual(values);
    expect(text).toHaveLength(6 + 2 * 4);
  });

  test("limits numbers, and accepts none or very many", () => {
    expect([...unpackNumbers(packNumbers([1e12, -1e12]))]).toEqual([50_000_000, -50_000_000]);
    expect(packNumbers([])).toBe("");
    const many = Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 100_000);
    expect([...unpackNumbers(packNumbers(many))]).toEqual(many);
  });
});

describe("simplifyLine", () => {
  test("keeps the ends, and stays within the tolerance", () => {
    const lines = fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 6, maxLength: 60 });
    fc.assert(
      fc.property(lines, fc.double({ min: 0, max: 20, noNaN: true }), (numbers, tolerance) => {
        const line = numbers.slice(0, numbers.length - (numbers.length % 2));
        const simple = simplifyLine(line, tolerance);
        expect(simple.slice(0, 2)).toEqual(line.slice(0, 2));
        expect(simple.slice(-2)).toEqual(line.slice(-2));
        for (let at = 0; at < line.length; at += 2) {
          expect(distanceTo(simple, line[at] ?? 0, line[at + 1] ?? 0)).toBeLessThanOrEqual(tolerance + 1e-9);
        }
      }),
    );
  });

  test("drops points on a straight line", () => {
    expect(simplifyLine([0, 0, 5, 0.1, 10, 0, 10, 10], 0.5)).toEqual([0, 0, 10, 0, 10, 10]);
  });
});

/** The distance from a place to the nearest segment of a line. */
function distanceTo(line: readonly number[], x: number, y: number): number {
  let least = Math.hypot((line[0] ?? 0) - x, (line[1] ?? 0) - y);
  for (let at = 0; at + 3 < line.length; at += 2) {
    const [ax = 0, ay = 0, bx = 0, by = 0] = line.slice(at, at + 4);
    const square = (bx - ax) ** 2 + (by - ay) ** 2;
    const share = square === 0 ? 0 : ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / square;
    const near = Math.max(0, Math.min(1, share));
    least = Math.min(least, Math.hypot(ax + near * (bx - ax) - x, ay + near * (by - ay) - y));
  }
  return least;
}

/** Draws degrees as pixels, like d3 on a canvas. */
function flatPath() {
  let pen: Record<"moveTo" | "lineTo" | "closePath" | "arc", (x?: number, y?: number) => void>;
  const line = (positions: readonly number[][], isRing: boolean) => {
    for (const [index, [x, y]] of (isRing ? positions.slice(0, -1) : positions).entries()) {
      pen[index === 0 ? "moveTo" : "lineTo"](x, y);
    }
    if (isRing) pen.closePath();
  };
  const draw = (geometry: Geometry) => {
    if (geometry.type === "Polygon") for (const ring of geometry.coordinates) line(ring, true);
    if (geometry.type === "LineString") line(geometry.coordinates, false);
    if (geometry.type === "Point") {
      const [x = 0, y = 0] = geometry.coordinates;
      pen.moveTo(x + 4.5, y);
      pen.arc(x, y);
    }
  };
  return Object.assign(draw, {
    context(sink: object) {
      pen = sink as typeof pen;
    },
  });
}

const size = 200;
const basemap = { path: flatPath(), left: 0, top: 0, metresPerPixel: 1 };
const coordinate = fc.integer({ min: 0, max: size });
const position = fc.tuple(coordinate, coordinate).map(([x, y]) => [x, y]);
const triangle = fc
  .tuple(position, position, position)
  .filter(([[ax = 0, ay = 0], [bx = 0, by = 0], [cx = 0, cy = 0]]) => (bx - ax) * (cy - ay) !== (cx - ax) * (by - ay))
  .map(([a, b, c]): Geometry => ({ type: "Polygon", coordinates: [[a, b, c, a]] }));
const geometry = fc.oneof(
  triangle,
  triangle,
  fc
    .array(position, { minLength: 2, maxLength: 4 })
    .map((coordinates): Geometry => ({ type: "LineString", coordinates })),
  position.map((coordinates): Geometry => ({ type: "Point", coordinates })),
);

describe("mapShapes", () => {
  test("every vertex keeps its place within half a unit", () => {
    fc.assert(
      fc.property(fc.array(geometry, { maxLength: 30 }), (geometries) => {
        const packed = mapShapes(geometries, basemap);
        const { x, y, parts, starts, count } = frameShapes(packed, geometries.length, size, size);
        expect(count).toBe(geometries.length);
        for (const [row, shape] of geometries.entries()) {
          const from = starts[parts[row] ?? 0] ?? 0;
          const end = starts[parts[row + 1] ?? 0] ?? 0;
          const read = Array.from({ length: end - from }, (_, at) => [
            (x[from + at] ?? 0) / packed.grain,
            (y[from + at] ?? 0) / packed.grain,
          ]);
          expect(read).toEqual(given(shape));
        }
      }),
    );
  });

  test("reduces a circle of ten thousand vertices to some hundred", () => {
    const ring = Array.from({ length: 10_001 }, (_, index) => {
      const angle = (index * 2 * Math.PI) / 10_000;
      return [100 + 50 * Math.cos(angle), 100 + 50 * Math.sin(angle)];
    });
    const packed = mapShapes([{ type: "Polygon", coordinates: [ring] }], { ...basemap, metresPerPixel: 0.1 });
    const { starts, x, y } = frameShapes(packed, 1, size, size);
    const vertices = starts[1] ?? 0;
    expect(packed.deepest).toBe(16);
    expect(vertices).toBeGreaterThan(50);
    expect(vertices).toBeLessThan(300);
    for (let at = 0; at < vertices; at += 1) {
      const radius = Math.hypot((x[at] ?? 0) / packed.grain - 100, (y[at] ?? 0) / packed.grain - 100);
      expect(Math.abs(radius - 50) * packed.grain).toBeLessThan(1.5);
    }
  });

  test("the deepest zoom shows centimetres of few shapes, and less of very many", () => {
    const point: Geometry = { type: "Point", coordinates: [1, 1] };
    const deepest = (count: number, metresPerPixel: number) =>
      mapShapes(Array<Geometry>(count).fill(point), { ...basemap, metresPerPixel }).deepest;
    expect(deepest(1, 0.1)).toBe(16);
    expect(deepest(1, 5)).toBe(256);
    expect(deepest(1, 5000)).toBe(2048);
    expect(deepest(500_000, 5)).toBe(32);
  });

  test("finds the same feature at the pointer as a search of all features", () => {
    const reach = fc.integer({ min: 0, max: 12 });
    fc.assert(
      fc.property(
        fc.array(geometry, { maxLength: 40 }),
        coordinate,
        coordinate,
        reach,
        fc.nat(3),
        (all, x, y, r, hidden) => {
          const packed = mapShapes(all, basemap);
          const unit = packed.grain;
          const shapes = frameShapes(packed, all.length, size * unit, size * unit);
          const isSeen = (row: number) => hidden === 0 || row % 4 !== hidden;
          // Next to a corner, so that inside and outside are unambiguous.
          const [px, py] = [x + 0.37, y + 0.41];
          const found = shapes.find(px * unit, py * unit, r * unit, isSeen);
          const ranks = all.map((shape, row) => (isSeen(row) ? rank(shape, px, py, r) : undefined));
          const best = ranks.reduce((least, one) => (one && (!least || isBefore(one, least)) ? one : least), undefined);
          expect(found < 0 ? undefined : ranks[found]).toEqual(best);
        },
      ),
      { numRuns: randomRuns(500) },
    );
  });
});

type Rank = readonly [kind: number, distance: number];

function isBefore(a: Rank, b: Rank): boolean {
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]);
}

/** Lines and points within reach, then areas around the place, then narrow areas within reach. */
function rank(shape: Geometry, x: number, y: number, reach: number): Rank | undefined {
  const positions = given(shape);
  const distance = distanceTo(positions.flat(), x, y);
  const rounded = (value: number) => Math.round(value * 1e6) / 1e6;
  if (shape.type !== "Polygon") return distance <= reach ? [0, rounded(distance)] : undefined;
  const [xs, ys] = [positions.map(([px = 0]) => px), positions.map(([, py = 0]) => py)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  if (booleanPointInPolygon([x, y], shape)) return [1, (right - left) * (bottom - top)];
  const box = Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
  return Math.min(right - left, bottom - top) <= reach && box <= reach ? [2, rounded(box)] : undefined;
}

function given(shape: Geometry): number[][] {
  if (shape.type === "Polygon") return shape.coordinates[0]?.slice(0, -1) ?? [];
  if (shape.type === "Point") return [shape.coordinates];
  if (shape.type !== "LineString") return [];
  // The same vertex twice in a row is one.
  return shape.coordinates.filter((one, at) => at === 0 || String(one) !== String(shape.coordinates[at - 1]));
}
