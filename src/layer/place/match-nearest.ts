import { distance } from "@turf/distance";
import { firstIndex } from "../../core/first-index.js";
import type { Match } from "./match.js";

type Point = readonly [number, number];

interface Placed {
  readonly point: Point;
  readonly row: number;
}

/** A little below the length of a degree of latitude, so that a band is rather too wide than too narrow. */
const METERS_PER_DEGREE = 110_000;

/** For each point the nearest other one within `maxMeters`; of equally near ones the first. */
export function matchNearest(
  points: readonly (Point | null)[],
  others: readonly (Point | null)[],
  maxMeters: number,
): readonly Match[] {
  const placed = others
    .flatMap((point, row): Placed[] => (point ? [{ point, row }] : []))
    .sort((a, b) => a.point[1] - b.point[1]);
  const band = maxMeters / METERS_PER_DEGREE;
  return points.flatMap((point, left) => {
    const match = point ? nearest(placed, point, band, maxMeters) : undefined;
    return match ? [{ left, ...match }] : [];
  });
}

function nearest(
  placed: readonly Placed[],
  point: Point,
  band: number,
  maxMeters: number,
): Omit<Match, "left"> | undefined {
  // Degrees of longitude shrink towards the poles; near them every longitude is near.
  const narrowest = Math.cos((Math.min(90, Math.abs(point[1]) + band) * Math.PI) / 180);
  const width = narrowest > band / 180 ? band / narrowest : 180;
  let best: Omit<Match, "left"> | undefined;
  const south = point[1] - band;
  const first = firstIndex(placed.length, (index) => (placed[index]?.point[1] ?? 0) < south);
  for (let index = first; index < placed.length; index += 1) {
    const other = placed[index];
    if (!other || other.point[1] > point[1] + band) break;
    const apart = Math.abs(other.point[0] - point[0]) % 360;
    if (Math.min(apart, 360 - apart) > width) continue;
    const meters = distance([...point], [...other.point], { units: "meters" });
    const isBetter = !best || meters < best.meters || (meters === best.meters && other.row < best.right);
    if (meters <= maxMeters && isBetter) best = { right: other.row, meters };
  }
  return best;
}
