import type { Point } from "./geometry-place.js";
import type { Match } from "./match.js";
import { type Near, NearPoints } from "./near-points.js";

/** For each point the nearest other one within `maxMeters`; of equally near ones the first. */
export function matchNearest(
  points: readonly (Point | null)[],
  others: readonly (Point | null)[],
  maxMeters: number,
): readonly Match[] {
  const placed = new NearPoints(others);
  return points.flatMap((point, left) => {
    let best: Near | undefined;
    for (const near of point ? placed.within(point, maxMeters) : []) {
      if (!best || near.meters < best.meters || (near.meters === best.meters && near.row < best.row)) best = near;
    }
    return best ? [{ left, right: best.row, meters: best.meters }] : [];
  });
}
