import fc from "fast-check";
import { expect, it } from "vitest";
import { metersBetween, type Point } from "../../../src/layer/place/geometry-measures.js";
import { nearestPairs } from "../../../src/layer/place/nearest-points.js";
import { randomRuns } from "../../support/random-runs.js";

type Points = readonly (Point | null)[];

/** Takes the nearest remaining pair until no pair is left. */
function naive(points: Points, others: Points, maxMeters: number): readonly (readonly number[])[] {
  const near = points.flatMap((here, point) =>
    others.flatMap((there, other) => (here && there ? [{ point, other, meters: metersBetween(here, there) }] : [])),
  );
  const sorted = near
    .filter(({ meters }) => meters <= maxMeters)
    .sort((a, b) => a.meters - b.meters || a.other - b.other || a.point - b.point);
  const [gone, taken] = [new Set<number>(), new Set<number>()];
  return sorted.flatMap(({ point, other }) => {
    if (gone.has(point) || taken.has(other)) return [];
    gone.add(point);
    taken.add(other);
    return [[point, other]];
  });
}

const inOrder = (pairs: readonly (readonly number[])[]) => pairs.toSorted(([a = 0], [b = 0]) => a - b);

const METER = 1 / 111_195;

/** Points in a grid, a row, crowds and all over the world, many of them at one location. */
const points: fc.Arbitrary<Points> = (() => {
  const step = fc.integer({ min: 0, max: 6 });
  const jitter = fc.oneof(fc.constant(0), fc.double({ min: -1, max: 1, noNaN: true }));
  const grid = fc.tuple(step, step, jitter).map(([x, y, by]): Point => [11 + (x + by) * METER, 48 + (y + by) * METER]);
  const row = fc.tuple(step, jitter).map(([y, by]): Point => [11, 48 + (y + by) * METER]);
  const far = fc
    .tuple(fc.constantFrom(-180, 180, 179.999_999, -179.999_999, 0, 541), fc.constantFrom(0, 89.999_999, 90, -90))
    .map(([x, y]): Point => [x, y]);
  const beyond = fc.constantFrom<Point>([Number.NaN, 1], [1, Number.POSITIVE_INFINITY]);
  const one = fc.oneof({ arbitrary: fc.oneof(grid, row, far), weight: 12 }, beyond, fc.constant(null));
  const crowd = fc.array(one, { minLength: 1, maxLength: 12 }).chain((places) => fc.constantFrom(...places));
  return fc.array(fc.oneof(one, crowd), { maxLength: 60 });
})();

const reaches = fc.constantFrom(0.5, 1, 1.0001, 3, 1000, 3e7, Number.POSITIVE_INFINITY);

it("returns the same pairs as a list of all pairs", () => {
  fc.assert(
    fc.property(points, points, reaches, (some, others, maxMeters) => {
      const shared = [...some, ...others.slice(0, 8)];
      expect(inOrder(nearestPairs(shared, others, maxMeters))).toEqual(inOrder(naive(shared, others, maxMeters)));
    }),
    { numRuns: randomRuns(500) },
  );
});

it("pairs 40,000 points at one location in their order", () => {
  const crowd = Array.from({ length: 40_000 }, (): Point => [11, 48]);
  const pairs = nearestPairs(crowd, crowd, 1);
  expect(pairs).toHaveLength(crowd.length);
  expect(pairs.every(([point, other]) => point === other)).toBe(true);
});
