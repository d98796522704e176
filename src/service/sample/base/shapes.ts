import { itemAt } from "./item-at.js";
import type { Metres } from "./local-grid.js";

/** The corners of a rectangle, counter-clockwise from its lower left. */
export function rectangle([x, y]: Metres, width: number, height: number): readonly Metres[] {
  return [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ];
}

export function distance([ax, ay]: Metres, [bx, by]: Metres): number {
  return Math.sqrt((bx - ax) * (bx - ax) + (by - ay) * (by - ay));
}

export function lengthOf(line: readonly Metres[]): number {
  let length = 0;
  for (let i = 1; i < line.length; i++) length += distance(itemAt(line, i - 1), itemAt(line, i));
  return length;
}

/** Area of a counter-clockwise ring, in square metres. */
export function areaOf(ring: readonly Metres[]): number {
  return ring.reduce((sum, a, i) => sum + cross([0, 0], a, itemAt(ring, (i + 1) % ring.length)), 0) / 2;
}

/** Centre of gravity of a counter-clockwise ring. */
export function centroidOf(ring: readonly Metres[]): Metres {
  let x = 0;
  let y = 0;
  for (const [i, a] of ring.entries()) {
    const b = itemAt(ring, (i + 1) % ring.length);
    const weight = cross([0, 0], a, b);
    x += (a[0] + b[0]) * weight;
    y += (a[1] + b[1]) * weight;
  }
  const area = areaOf(ring);
  return [x / (6 * area), y / (6 * area)];
}

/** The convex hull, counter-clockwise (Andrew's monotone chain). */
export function hullOf(places: readonly Metres[]): readonly Metres[] {
  const sorted = places.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  return [...halfHull(sorted), ...halfHull(sorted.toReversed())];
}

function halfHull(sorted: readonly Metres[]): readonly Metres[] {
  const half: Metres[] = [];
  for (const place of sorted) {
    while (half.length > 1 && cross(itemAt(half, half.length - 2), itemAt(half, half.length - 1), place) <= 0)
      half.pop();
    half.push(place);
  }
  return half.slice(0, -1);
}

/** Positive if `o`, `a`, `b` turn to the left. */
function cross(o: Metres, a: Metres, b: Metres): number {
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}
