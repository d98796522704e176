import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { Geometry, Position } from "geojson";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { findPython } from "../../support/python.js";
import { randomRuns, seed } from "../../support/random-runs.js";
import * as shapes from "../shapes.js";
import { collection, layerOf, multi, polygon } from "../shapes.js";

async function nearest(left: readonly (Geometry | null)[], right: readonly (Geometry | null)[], maxMeters: number) {
  const joined = await (await layerOf(...left)).spatialJoin(await layerOf(...right), {
    predicate: "nearest",
    maxMeters,
  });
  return joined.select("other.id", "distance_m").objects() as Record<"other.id" | "distance_m", number | null>[];
}

/** Degrees of a meter at the equator: of longitude, and of latitude. */
const [x, y] = [1 / 111_319.49, 1 / 110_574.28];
const at = (east: number, north: number): Position => [east * x, north * y];
/** Shapes in meters. */
const point = (east: number, north: number): Geometry => shapes.point(...at(east, north));
const line = (...places: (readonly [number, number])[]): Geometry =>
  shapes.line(...places.map((place) => at(...place)));
const ring = (west: number, south: number, east: number, north: number): Position[] =>
  shapes.ring(west * x, south * y, (east - west) * x, (north - south) * y);
const box = (...sides: Parameters<typeof ring>): Geometry => polygon(ring(...sides));
const panel = box(0, 0, 27, 2);
const frame = polygon(ring(0, 0, 100, 100), ring(10, 10, 90, 90));
const open = polygon(ring(0, 0, 10, 10).slice(0, 4));

describe("join by nearest", () => {
  it.each<[string, Geometry, Geometry, number]>([
    ["a point and the short side of a panel", point(28, 1), panel, 1],
    ["a point and the corner of a panel", point(30, 6), panel, 5],
    ["a point in a panel", point(20, 1), panel, 0],
    ["a point on a side", point(13, 2), panel, 0],
    ["a point and a line", point(5, 3), line([0, 0], [10, 0]), 3],
    ["lines that cross", line([0, 0], [10, 10]), line([0, 10], [10, 0]), 0],
    ["lines that end at each other", line([0, 0], [10, 0]), line([4, 0], [4, 9]), 0],
    ["parallel lines", line([0, 0], [10, 0]), line([3, 4], [30, 4]), 4],
    ["a line through a panel", line([10, -5], [10, 5]), panel, 0],
    ["panels side by side", panel, box(30, 0, 57, 2), 3],
    ["panels that share a side", panel, box(27, 0, 54, 2), 0],
    ["panels that share a corner", panel, box(27, 2, 54, 4), 0],
    ["a panel in a block", panel, box(-100, -100, 100, 100), 0],
    ["a point in a hole", point(50, 85), frame, 5],
    ["a panel in a hole", box(20, 40, 47, 42), frame, 10],
    ["a point between a hole and the outline", point(5, 50), frame, 0],
    ["several points", multi(point(0, 50), point(40, 1)), panel, 13],
    ["several lines", point(0, 7), multi(line([0, 0], [9, 0]), line([-5, 9], [5, 9])), 2],
    ["several polygons", point(5, 50), multi(box(0, 0, 9, 9), box(0, 40, 9, 60)), 0],
    ["a collection", point(5, 3), collection(point(90, 90), line([0, 0], [10, 0])), 3],
    ["a ring that is not closed", point(-3, 5), open, 3],
    ["a point in a ring that is not closed", point(3, 5), open, 0],
  ])("measures from edge to edge: %s", async (_, one, other, meters) => {
    const [[there], [back]] = [await nearest([one], [other], 1000), await nearest([other], [one], 1000)];
    expect(there?.distance_m).toBeCloseTo(meters, 3);
    expect(back?.distance_m).toBeCloseTo(meters, 3);
    if (meters === 0) expect([there?.distance_m, back?.distance_m]).toEqual([0, 0]);
  });

  it("measures on the ellipsoid", async () => {
    const to = (...place: Position) => nearest([shapes.point(11, 48)], [shapes.point(...place)], 1e6);
    // By PROJ: geod +ellps=WGS84 +units=m -I.
    expect((await to(11.01, 48))[0]?.distance_m).toBeCloseTo(746.254, 2);
    expect((await to(11, 48.01))[0]?.distance_m).toBeCloseTo(1111.904, 2);
  });

  it("finds the nearest edge, not the nearest center, within the maximum distance", async () => {
    const long = box(10, 0, 500, 2);
    const short = box(-40, 0, -38, 2);
    expect(await nearest([point(0, 1)], [short, long], 20)).toEqual([
      { "other.id": 2, distance_m: expect.closeTo(10, 3) },
    ]);
    expect(await nearest([point(0, 1)], [short, long], 9)).toEqual([{ "other.id": null, distance_m: null }]);
  });

  it("prefers the first of several that touch or contain a feature", async () => {
    const others = [box(50, 0, 60, 2), box(-100, -100, 100, 100), panel, panel];
    expect((await nearest([point(20, 1), panel], others, 5)).map((row) => row["other.id"])).toEqual([2, 2]);
    expect((await nearest([point(20, 1)], others.toReversed(), 5))[0]?.["other.id"]).toBe(1);
  });

  it("measures across 180°", async () => {
    const strip = (west: number) => polygon(shapes.ring(west, 0, 10 * x, 2 * y));
    const [near] = await nearest([strip(180 - 15 * x)], [strip(-180 + 3 * x), strip(0)], 100);
    expect(near).toEqual({ "other.id": 1, distance_m: expect.closeTo(8, 3) });
  });

  it("has null for features without a location", async () => {
    const empty = polygon();
    expect(await nearest([null, empty, point(1, 1)], [null, empty], 5)).toEqual(
      [1, 2, 3].map(() => ({ "other.id": null, distance_m: null })),
    );
  });
});

const python = findPython("geopandas");

describe.skipIf(!python)("join by nearest and geopandas", () => {
  const folder = temporaryFolder();
  const size = fc.double({ min: 1, max: 40, noNaN: true });
  const place = fc.tuple(...[0, 1].map(() => fc.double({ min: 0, max: 600, noNaN: true })));
  /** A position at 48° north, from meters. */
  const north = ([east = 0, up = 0]: readonly number[]): Position => [11 + east / 74_602, 48 + up / 111_199];
  const star = fc.tuple(place, fc.array(size, { minLength: 3, maxLength: 7 })).map(([[east = 0, up = 0], sizes]) => {
    const corner = (share: number) => (radius: number, index: number) => {
      const angle = (2 * Math.PI * index) / sizes.length;
      return north([east + share * radius * Math.cos(angle), up + share * radius * Math.sin(angle)]);
    };
    return [1, 0.5].map((share) => {
      const corners = sizes.map(corner(share));
      return [...corners, corners[0] as Position];
    });
  });
  const path = fc
    .tuple(place, fc.array(fc.tuple(size, size), { minLength: 1, maxLength: 4 }))
    .map(([start, steps]) =>
      [start, ...steps.map((step) => step.map((value, axis) => value + (start[axis] ?? 0)))].map(north),
    );
  const geometry = fc.oneof(
    place.map((coordinates) => ({ type: "Point", coordinates: north(coordinates) })),
    fc
      .array(place, { minLength: 1, maxLength: 3 })
      .map((places) => ({ type: "MultiPoint", coordinates: places.map(north) })),
    path.map((coordinates) => ({ type: "LineString", coordinates })),
    fc.array(path, { minLength: 1, maxLength: 3 }).map((coordinates) => ({ type: "MultiLineString", coordinates })),
    star.map((rings) => ({ type: "Polygon", coordinates: rings.slice(0, 1) })),
    star.map((coordinates) => ({ type: "Polygon", coordinates })),
    star.map((rings) => ({
      type: "MultiPolygon",
      coordinates: [rings, [rings[1]?.map(([a = 0, b = 0]) => [a + 0.002, b])]],
    })),
  ) as fc.Arbitrary<Geometry>;

  it("agree on random geometries", async () => {
    const sample = (offset: number, count: number) => fc.sample(geometry, { numRuns: count, seed: seed + offset });
    const [left, right] = [sample(0, randomRuns(1000)), sample(1, 60)];
    const file = join(folder, "geometries.json");
    writeFileSync(file, JSON.stringify({ left, right }));
    const printed = execFileSync(python?.program ?? "", [join(import.meta.dirname, "python", "nearest.py"), file], {
      encoding: "utf8",
    });
    const expected = JSON.parse(printed) as number[];
    const found = (await nearest(left, right, 10_000)).map((row) => row.distance_m);
    expect(found).toEqual(expected.map((meters) => expect.closeTo(meters, 2)));
    expect(expected.some((meters) => meters === 0) && expected.some((meters) => meters > 1)).toBe(true);
  });
});
