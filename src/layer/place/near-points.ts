import { distance } from "@turf/distance";
import { firstIndex } from "../../core/first-index.js";
import type { Point } from "./geometry-place.js";

/** A point that is near another: its row, and how far away it is. */
export interface Near {
  readonly row: number;
  readonly meters: number;
}

interface Placed {
  readonly point: Point;
  readonly row: number;
}

/** A little below the length of a degree of latitude, so that a band is rather too wide than too narrow. */
const METERS_PER_DEGREE = 110_000;

/** Points in order of latitude, so that those near a place are found without looking at all. */
export class NearPoints {
  readonly #placed: readonly Placed[];

  /** @param points by row; null where there is none */
  constructor(points: readonly (Point | null)[]) {
    this.#placed = points
      .flatMap((point, row): Placed[] => (point ? [{ point, row }] : []))
      .sort((a, b) => a.point[1] - b.point[1]);
  }

  /** The points that are at most `maxMeters` away from one, in no order. */
  *within(point: Point, maxMeters: number): Generator<Near> {
    const band = maxMeters / METERS_PER_DEGREE;
    // Degrees of longitude shrink towards the poles; near them every longitude is near.
    const narrowest = Math.cos((Math.min(90, Math.abs(point[1]) + band) * Math.PI) / 180);
    const width = narrowest > band / 180 ? band / narrowest : 180;
    const south = point[1] - band;
    const first = firstIndex(this.#placed.length, (index) => (this.#placed[index]?.point[1] ?? 0) < south);
    for (let index = first; index < this.#placed.length; index += 1) {
      const other = this.#placed[index];
      if (!other || other.point[1] > point[1] + band) break;
      const apart = Math.abs(other.point[0] - point[0]) % 360;
      if (Math.min(apart, 360 - apart) > width) continue;
      const meters = metersBetween(point, other.point);
      if (meters <= maxMeters) yield { row: other.row, meters };
    }
  }
}

/** Metres between two points, on a sphere. */
export function metersBetween(a: Point, b: Point): number {
  return distance([...a], [...b], { units: "meters" });
}
