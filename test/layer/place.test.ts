import fc from "fast-check";
import type { Polygon } from "geojson";
import { describe, expect, it } from "vitest";
import { provenanceOf } from "../../src/core/provenance.js";
import { ellipsoidMeters } from "../../src/layer/place/geometry-measures.js";
import type { GeometrySource } from "../../src/layer/place/geometry-table.js";
import type { SpatialJoinOptions } from "../../src/layer/place/spatial-join.js";
import { nearestGeometries } from "../../src/layer/place/spatial-join.js";
import { fromRecords } from "../../src/source/from-records.js";
import { toTable } from "../../src/tables/column/table.js";
import { randomRuns } from "../support/random-runs.js";
import { feature } from "../support/records.js";
import { collection, layerOf, line, multi, point, polygon, ring, square } from "./shapes.js";

const geometriesOf = (points: readonly (readonly [number, number] | null)[]) =>
  points.map((position) => (position ? point(...position) : null));

describe("places", () => {
  it("has center, bounds, area and length", async () => {
    const street = line([11, 48], [11, 48.001]);
    const layer = await layerOf(square(11, 48, 0.001), street, point(1, 2), null, collection());
    const rows = (await layer.centroids()).objects() as Record<string, number | null>[];
    expect(rows[0]).toMatchObject({ west: 11, south: 48, east: 11.001, north: 48.001 });
    expect(rows[0]?.["longitude"]).toBeCloseTo(11.0005, 7);
    expect(rows[0]?.["latitude"]).toBeCloseTo(48.0005, 7);
    // A thousandth of a degree is 111 m to the north and 74.5 m to the east here.
    expect((rows[0]?.["area_m2"] ?? 0) / (111.2 * 74.4)).toBeCloseTo(1, 1);
    expect(rows[1]?.["length_m"]).toBeCloseTo(111.2, 0);
    expect(rows[1]?.["area_m2"]).toBe(0);
    expect(rows[2]).toMatchObject({ longitude: 1, latitude: 2, area_m2: 0, length_m: 0 });
    expect(rows[3]).toMatchObject({ longitude: null, west: null, area_m2: null, length_m: null });
    expect(rows[4]).toMatchObject({ longitude: null, west: null });
  });

  it("weights several polygons by area without holes, for any orientation of rings", async () => {
    const layer = await layerOf(
      multi(square(0, 0, 1), polygon(ring(4, 0, 2).toReversed())),
      polygon(ring(100, 50, 4), ring(102, 51, 1)),
      polygon(ring(100, 50, 4).toReversed(), ring(102, 51, 1)),
      multi(square(7, 7, 0)),
    );
    const rows = (await layer.centroids()).objects() as Record<string, number | null>[];
    const expected = [
      [4.1, 0.9],
      [100 + (16 * 2 - 2.5) / 15, 50 + (16 * 2 - 1.5) / 15],
      [100 + (16 * 2 - 2.5) / 15, 50 + (16 * 2 - 1.5) / 15],
      [7, 7],
    ];
    for (const [index, [longitude = 0, latitude = 0]] of expected.entries()) {
      expect(rows[index]?.["longitude"]).toBeCloseTo(longitude, 12);
      expect(rows[index]?.["latitude"]).toBeCloseTo(latitude, 12);
    }
  });
});

describe("join", () => {
  it("finds the polygons that contain the center of a feature", async () => {
    const left = await layerOf(point(11.0005, 48.0005), point(12, 48), null);
    const right = await layerOf(square(11, 48, 0.001), square(10, 47, 2), point(11.0005, 48.0005));
    const table = await left.spatialJoin(right, { predicate: "within" });
    expect(table.select("id", "other.id", "distance_m").objects()).toEqual([
      { id: 1, "other.id": 1, distance_m: 0 },
      { id: 1, "other.id": 2, distance_m: 0 },
      { id: 2, "other.id": 2, distance_m: 0 },
      { id: 3, "other.id": null, distance_m: null },
    ]);
  });

  it("keeps every column, for any property names", async () => {
    const layerFeatures = [
      feature(1, { geometry: point(11, 48), properties: { distance_m: 7, "other.id": 8, "other.id_": 9 } }),
    ];
    const left = await fromRecords({ layerFeatures }).layer({ site_id: 12 });
    const table = await left.spatialJoin(await layerOf(point(11, 48)), { predicate: "nearest", maxMeters: 1 });
    expect(new Set(table.columnNames()).size).toBe(table.numCols());
    expect(table.object()).toMatchObject({ distance_m: 7, "other.id": 8, "other.id_": 9 });
    expect(table.object()).toMatchObject({ distance_m_: 0, "other.id__": 1 });
  });

  it("accepts a table with one column of geometries, such as source.blocks()", async () => {
    const left = await layerOf(point(11.0005, 48.0005), point(12, 48));
    const block = (id: number, geo_boundaries: Polygon) => {
      return { id, operation_id: 7, polygon_id: id, name: `Block ${id}`, geo_boundaries };
    };
    const source = fromRecords({ blocks: [block(1, square(10, 47, 0.1)), block(2, square(11, 48, 0.001))] });
    const blocks = await source.blocks({ operation_id: 7 });
    const joined = await left.spatialJoin(blocks, { predicate: "within" });
    expect(joined.array("other.name")).toEqual(["Block 2", null]);
    expect(provenanceOf(joined)).toEqual(left.provenance);
    const first = blocks.filter((row: { id: number }) => row.id === 1);
    expect((await left.spatialJoin(first, { predicate: "within" })).array("other.name")).toEqual([null, null]);
    const none = await left.spatialJoin(
      blocks.filter(() => false),
      { predicate: "within" },
    );
    expect(none.array("other.name")).toEqual([null, null]);
    const second = blocks.orderby("name").filter((row: { id: number }) => row.id === 2);
    expect((await left.spatialJoin(second, { predicate: "within" })).array("other.name")).toEqual(["Block 2", null]);
  });

  it("reads geometries in JSON strings", async () => {
    const left = await layerOf(point(11.0005, 48.0005), point(12, 48));
    const zones = toTable([
      ["zone", ["a", "b"]],
      ["outline", [null, JSON.stringify(square(11, 48, 0.001))]],
    ]);
    const joined = await left.spatialJoin(zones, { predicate: "within" });
    expect(joined.array("other.zone")).toEqual(["b", null]);
  });

  it("accepts features of GeoJSON", async () => {
    const left = await layerOf(point(11.0005, 48.0005), point(12, 48));
    const properties = { name: "north", id: "n", geometry: 5 };
    const zone = { type: "Feature" as const, id: 9, properties, geometry: square(11, 48, 0.001) };
    const collection = {
      type: "FeatureCollection" as const,
      features: [zone, { type: "Feature" as const, properties: null, geometry: null }],
    };
    const joined = await left.spatialJoin(collection, { predicate: "within" });
    const names = joined.columnNames().filter((name) => name.startsWith("other."));
    const expected = ["id", "name", "properties.id", "properties.geometry", "geometry"];
    expect(names).toEqual(expected.map((name) => `other.${name}`));
    expect(joined.array("other.properties.id")).toEqual(["n", null]);
    expect(joined.array("other.id")).toEqual([9, null]);
    const { id: _, ...nameless } = zone;
    expect((await left.spatialJoin(nameless, { predicate: "within" })).array("other.id")).toEqual(["n", null]);
    const itself = await left.spatialJoin(left.toGeoJSON(), { predicate: "nearest", maxMeters: 1 });
    expect(itself.array("other.id")).toEqual([1, 2]);
  });

  it.each<[unknown, string]>([
    [undefined, "needs geometries"],
    [{ type: "Polygon", coordinates: [] }, "needs geometries"],
    [{ type: "FeatureCollection", features: [{ type: "Point" }] }, "features[0]"],
    [toTable([["id", [1]]]), "no column of geometries. Columns: id"],
    [
      toTable([
        ["a", [point(1, 2)]],
        ["b", [point(1, 2)]],
      ]),
      "several columns of geometries: a, b",
    ],
    [toTable([["geometry", [null, "POINT (1 2)"]]]), "Row 1"],
    [toTable([["geometry", ["{"]]]), "Row 0"],
  ])("refuses the other layer %j", async (other, message) => {
    const layer = await layerOf(null);
    const refusal = String(await layer.spatialJoin(other as GeometrySource, { predicate: "within" }).catch(String));
    expect(refusal).toMatch(/^ArgumentError/);
    expect(refusal).toContain(message);
  });

  it("agrees with a search through all pairs, across 180°, at the poles, and for equal distances", () => {
    const anywhere = fc.double({ min: -180, max: 180, noNaN: true });
    const near180 = fc.double({ min: 179.999, max: 180.001, noNaN: true }).map((x) => (x > 180 ? x - 360 : x));
    const longitude = fc.oneof(anywhere, near180, fc.constantFrom(-180, 180, 0, 179.99999, -179.99999, 190, -190, 541));
    const north = fc.oneof(fc.double({ min: 89.9, max: 90, noNaN: true }), fc.constantFrom(0, 48, 89.99999, 90));
    const latitude = fc.oneof(
      fc.double({ min: -90, max: 90, noNaN: true }),
      north,
      north.map((y) => -y),
    );
    // Many points at one location, more than a node of the tree holds.
    const crowd = fc
      .array(fc.tuple(longitude, latitude), { minLength: 1, maxLength: 40 })
      .chain((places) => fc.array(fc.option(fc.constantFrom(...places)), { maxLength: 60 }));
    fc.assert(
      fc.property(crowd, crowd, fc.constantFrom(1e-6, 1, 1000, 1e5, 5e6, 3e7), (some, others, maxMeters) => {
        const points = [...some, ...others.slice(0, 5)];
        const all = points.flatMap((here, left) => {
          const near = others
            .flatMap((there, right) => (here && there ? [{ left, right, meters: ellipsoidMeters(here, there) }] : []))
            .filter(({ meters }) => meters <= maxMeters)
            .sort((a, b) => a.meters - b.meters || a.right - b.right);
          return near.slice(0, 1);
        });
        const found = nearestGeometries(geometriesOf(points), geometriesOf(others), maxMeters);
        // A different order of operations decides the last digits.
        expect(found.map(({ left, meters }) => [left, meters])).toEqual(
          all.map(({ left, meters }) => [left, expect.closeTo(meters, 3)]),
        );
      }),
      { numRuns: randomRuns(500) },
    );
  });

  it("finds the same polygons as a search through all pairs", async () => {
    const step = fc.integer({ min: 0, max: 8 });
    const drawn = (value: number) => 176 + value / 2;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, step), { minLength: 1, maxLength: 20 }),
        fc.array(fc.tuple(step, step, fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 40 }),
        async (places, squares) => {
          const points = places.map(([x, y]) => [drawn(x), y] as const);
          const others = squares.map(([x, y, size]) => [drawn(x), y, size / 2] as const);
          const left = await layerOf(...points.map(([x, y]) => point(x, y)));
          const right = await layerOf(...others.map(([x, y, size]) => square(x, y, size)));
          const all = points.flatMap(([px, py], n) => {
            const found = others.flatMap(([x, y, size], m) =>
              px >= x && px <= x + size && py >= y && py <= y + size ? [[n + 1, m + 1]] : [],
            );
            return found.length > 0 ? found : [[n + 1, null]];
          });
          const joined = await left.spatialJoin(right, { predicate: "within" });
          const ids = joined.array("id");
          expect(Array.from<unknown, unknown>(joined.array("other.id"), (other, row) => [ids[row], other])).toEqual(
            all,
          );
        },
      ),
      { numRuns: randomRuns(50) },
    );
  });

  it.each<[unknown, string]>([
    [undefined, 'predicate: "within"'],
    [{ by: "Within" }, 'predicate: "within"'],
    [{ nearest: true, maxMeters: 5 }, 'predicate: "nearest", maxMeters'],
    [{ predicate: "nearest" }, "maxMeters"],
    [{ predicate: "nearest", maxMeters: 0 }, "maxMeters"],
    [{ predicate: "nearest", maxMeters: "5" }, "maxMeters"],
    [{ predicate: "within", maxMeters: 5 }, "maxMeters"],
  ])("refuses the options %j", async (options, message) => {
    const layer = await layerOf(null);
    const refusal = String(await layer.spatialJoin(layer, options as SpatialJoinOptions).catch(String));
    expect(refusal).toMatch(/^ArgumentError/);
    expect(refusal).toContain(message);
  });
});
