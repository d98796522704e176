import { execFileSync } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import type { Geometry } from "geojson";
import sqlite from "node-sqlite3-wasm";
import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../src/core/errors.js";
import { compareCaptures, connect, diffSnapshots, fromRecords, type Layer, pull } from "../../src/index.js";
import { centroidOf } from "../../src/layer/place/geometry-measures.js";
import { layerMap } from "../../src/plot/index.js";
import { geometryFault } from "../../src/tables/export/sound-geometry.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { duckdbRows } from "../support/duckdb-rows.js";
import { findPython } from "../support/python.js";
import { dataset, feature } from "../support/records.js";
import { serveRecords } from "../support/serve-records.js";
import { collection, layerOf, line, multi, point, polygon, ring, square } from "./shapes.js";

const folder = temporaryFolder();
let files = 0;
const newFile = (extension: string) => join(folder, `geometry-${++files}.${extension}`);

/** Degrees of a meter at the equator. */
const m = 1 / 111_195;

describe("the center of a geometry", () => {
  const far = line([50, 0], [60, 0]);

  it.each<[string, Geometry, readonly [number, number] | null]>([
    ["a line", line([0, 0], [100 * m, 0]), [50 * m, 0]],
    [
      "a line with a vertex that is off by a millimeter",
      line([0, 0], [100 * m, 0], [100 * m, 0.001 * m]),
      [50.0005 * m, 0],
    ],
    ["a line with close vertices at one end", line([0, 0], [90 * m, 0], [95 * m, 0], [100 * m, 0]), [50 * m, 0]],
    ["several lines, by length", multi(line([0, 0], [3, 0]), line([10, 0], [11, 0])), [3.75, 0]],
    ["several points, by number", multi(point(0, 0), point(0, 0), point(3, 3)), [1, 1]],
    ["an empty member of several", multi(point(), point(3, 3)), [3, 3]],
    ["a polygon", square(1, 2, 2), [2, 3]],
    ["an empty ring among others", polygon(ring(1, 2, 2), []), [2, 3]],
    ["a polygon without area: its outline", polygon(ring(0, 0, 4, 0)), [2, 0]],
    ["a line without length: its point", line([4, 5], [4, 5]), [4, 5]],
    ["a collection: the parts with the most dimensions", collection(point(90, 0), far, square(1, 2, 2)), [2, 3]],
    ["a collection in a collection", collection(collection(far)), [55, 0]],
    ["nothing", collection(), null],
    ["a point without coordinates", point(), null],
    ["a polygon without rings", polygon([]), null],
  ])("%s", (_, geometry, centre) => {
    const found = centroidOf(geometry);
    if (centre === null) return expect(found).toBeNull();
    expect(found?.[0]).toBeCloseTo(centre[0], 8);
    expect(found?.[1]).toBeCloseTo(centre[1], 8);
  });

  it("weights lines by meters: a degree of longitude is half as long at 60°", () => {
    // 0.002° to the east are as long as 0.001° to the north there.
    const [x = 0, y = 0] = centroidOf(line([10, 60], [10.002, 60], [10.002, 60.001])) ?? [];
    expect(x).toBeCloseTo(10.0015, 6);
    expect(y).toBeCloseTo(60.00025, 6);
  });

  it.each<[string, Geometry, number]>([
    ["polygons", multi(square(179.999, 0, 0.001), square(-180, 0, 0.001)), 180],
    ["lines", multi(line([179.999, 0], [180, 0]), line([-180, 0], [-179.999, 0])), 180],
    ["points", multi(point(179, 0), point(-177, 0)), -179],
    ["a collection", collection(square(179, 0, 1), square(-180, 0, 3)), -178.7],
    ["points far apart, the short way", multi(point(-74, 40), point(139, 40)), -147.5],
    ["points on both sides of 0°", multi(point(-60, 0), point(90, 0)), 15],
  ])("takes the short way between %s", (_, geometry, longitude) => {
    const [x = 0] = centroidOf(geometry) ?? [];
    expect(Math.abs(x)).toBeCloseTo(Math.abs(longitude), 6);
    if (Math.abs(longitude) < 180) expect(Math.sign(x)).toBe(Math.sign(longitude));
  });

  it("is the same with an additional vertex", () => {
    const position = fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true }));
    fc.assert(
      fc.property(fc.array(position, { minLength: 2, maxLength: 6 }), fc.nat(), (vertices, place) => {
        const at = 1 + (place % (vertices.length - 1));
        const [[x0, y0], [x1, y1]] = [vertices[at - 1], vertices[at]] as [[number, number], [number, number]];
        const more = vertices.toSpliced(at, 0, [(x0 + x1) / 2, (y0 + y1) / 2]);
        const [one, other] = [centroidOf(line(...vertices)), centroidOf(line(...more))] as const;
        // Halves have other latitudes than the whole, which at 1° is a difference of a ten-thousandth.
        expect(Math.hypot((one?.[0] ?? 9) - (other?.[0] ?? 0), (one?.[1] ?? 9) - (other?.[1] ?? 0))).toBeLessThan(1e-3);
      }),
    );
  });

  it("is the same for a line that is drawn again with an offset of a millimeter", async () => {
    const july = await layerOf(line([0, 0], [100 * m, 0]));
    const august = await fromRecords({
      layerFeatures: [feature(2, { geometry: line([0, 0], [100 * m, 0], [100 * m, 0.001 * m]) })],
    }).layer({ site_id: 12 });
    const found = await compareCaptures([july, august], { maxMeters: 0.01 });
    expect(found.array("status")).toEqual(["new", "persistent"]);
  });
});

const python = findPython("shapely");

describe.skipIf(!python)("shapely", () => {
  it("has the same centers for random geometries", () => {
    // Near the equator, degrees have the same length in both directions.
    const coordinate = fc.integer({ min: 0, max: 10_000 }).map((n) => n / 1e6);
    const position = fc.tuple(coordinate, coordinate);
    const path = fc.array(position, { minLength: 2, maxLength: 6 });
    const box = fc.tuple(position, fc.integer({ min: 1, max: 900 })).map(([[x, y], size]) => [ring(x, y, size / 1e6)]);
    const flat = fc.oneof(
      fc.record({ type: fc.constant("Point"), coordinates: position }),
      fc.record({ type: fc.constant("MultiPoint"), coordinates: fc.array(position, { minLength: 1, maxLength: 5 }) }),
      fc.record({ type: fc.constant("LineString"), coordinates: path }),
      fc.record({ type: fc.constant("MultiLineString"), coordinates: fc.array(path, { minLength: 1, maxLength: 4 }) }),
      fc.record({ type: fc.constant("Polygon"), coordinates: box }),
      fc.record({ type: fc.constant("MultiPolygon"), coordinates: fc.array(box, { minLength: 1, maxLength: 4 }) }),
    );
    const any = fc.oneof(
      flat,
      fc.record({
        type: fc.constant("GeometryCollection"),
        geometries: fc.array(flat, { minLength: 1, maxLength: 4 }),
      }),
    );
    const geometries = fc.sample(any as unknown as fc.Arbitrary<Geometry>, 600);
    const script = join(import.meta.dirname, "python", "centroids.py");
    const printed = execFileSync(python?.program ?? "", [script], {
      input: JSON.stringify(geometries),
      encoding: "utf8",
    });
    const expected = JSON.parse(printed) as readonly ([number, number] | null)[];
    geometries.forEach((geometry, index) => {
      const [found, [x, y]] = [centroidOf(geometry), expected[index] ?? [Number.NaN, Number.NaN]];
      expect(Math.hypot((found?.[0] ?? 9) - x, (found?.[1] ?? 9) - y), JSON.stringify(geometry)).toBeLessThan(1e-9);
    });
  });
});

/** Two positions, as in a line. */
const path = [1, 3].map((x) => [x, x + 1]);

/** Malformed geometries, with the place and the value of the problem. */
const malformed: readonly (readonly [unknown, string])[] = [
  [{ type: "Point", coordinates: ["11.5", "48.1"] }, "coordinates[0] is a string of 4 characters"],
  [{ type: "Point", coordinates: [null, 48] }, "coordinates[0] is null"],
  [{ type: "Point", coordinates: [11, 48, "7"] }, "coordinates[2] is a string of 1 character"],
  [point(7), "coordinates has one number"],
  [{ type: "Point", coordinates: [[11, 48]] }, "coordinates[0] is an array of 2 values"],
  [line([], [1, 2]), "coordinates[0] has no numbers"],
  [{ type: "LineString", coordinates: [11, 48] }, "coordinates[0] is a number"],
  [{ type: "Polygon", coordinates: path }, "coordinates[0][0] is a number"],
  [{ type: "Polygon", coordinates: [[[1, 2], null]] }, "coordinates[0][1] is null"],
  [{ type: "MultiPolygon", coordinates: [path] }, "coordinates[0][0][0] is a number"],
  [collection(null as never), "geometries[0] is null"],
  [collection(point(7)), "geometries[0].coordinates has one number"],
  [deepCollection(220), "it has more than 200 nested collections"],
];

function deepCollection(depth: number): Geometry {
  let geometry = point(1, 2);
  for (let level = 0; level < depth; level += 1) geometry = collection(geometry);
  return geometry;
}

const good = point(11, 48);

/** All calls that read the location of features. */
async function callAll(layer: Layer): Promise<void> {
  await layer.centroids();
  await layer.spatialJoin(layer, { predicate: "nearest", maxMeters: 5 });
  await layer.spatialJoin(layer, { predicate: "within" });
  await compareCaptures([layer, layer], { maxMeters: 1 });
  await layer.toCSV();
  await layer.toArrow();
  layer.toGeoJSON();
  layer.describe();
  layerMap(layer, "visible_id").toSVG();
  for (const symbol of Object.getOwnPropertySymbols(Object.getPrototypeOf(layer))) {
    if (symbol.description === "Jupyter.display") await Reflect.get(layer, symbol).call(layer);
  }
}

describe("a malformed geometry", () => {
  it.each(malformed)("is a diagnostic and has no location: %$", async (geometry, where) => {
    expect(geometryFault(geometry)).toBeDefined();
    const layer = await layerOf(good, geometry);
    expect(layer.diagnostics).toEqual([
      expect.objectContaining({
        code: "geometry-malformed",
        count: 1,
        message: expect.stringContaining(`(id 2: ${where}); it has no location`),
        facts: { ids: [2] },
      }),
    ]);
    await callAll(layer);
    expect((await layer.centroids()).array("longitude")).toEqual([11, null]);
    expect((await compareCaptures([layer, layer], { maxMeters: 1 })).diagnostics.map(({ code }) => code)).toEqual(
      expect.arrayContaining(["location-missing", "geometry-malformed"]),
    );
    const words = { message: expect.stringContaining(`row 2 (id 2) has an invalid geometry: ${where}.`) };
    const writes = [layer.toParquet({ path: newFile("parquet") }), layer.toGeoPackage({ path: newFile("gpkg") })];
    await Promise.all(
      writes.map((written) => expect(written).rejects.toMatchObject({ code: "ERR_ARGUMENT", ...words })),
    );
  });

  it("is a diagnostic of a live layer", async () => {
    const records = malformed.slice(0, 5).map(([geometry], n) => feature(n + 2, { geometry: geometry as Geometry }));
    const layerFeatures = [feature(1, { geometry: good }), ...records, feature(99, { geometry: square(1, 2, 3) })];
    const server = await serveRecords({
      layerFeatures: JSON.stringify(layerFeatures),
      datasets: JSON.stringify([dataset(1)]),
    });
    const source = connect({ baseUrl: server.url, apiKey: "k", pageSize: 10, showProgress: false });
    const layer = await source.layer({ site_id: 12 });
    server.close();
    expect(layer.diagnostics).toEqual([
      expect.objectContaining({
        code: "geometry-malformed",
        count: records.length,
        facts: { ids: records.slice(0, 10).map(({ id }) => id) },
      }),
    ]);
    await callAll(layer);
  });

  it("has no distance in the difference of two generations", async () => {
    const path = join(folder, "moved.snapshot");
    const generation = (longitude: unknown, day: number) => {
      const over = { geometry: point(longitude as number, 48), updated_at: `2024-01-0${day}T00:00:00Z` };
      return fromRecords({ datasets: [dataset(1)], layerFeatures: [feature(1, over)] });
    };
    await pull(generation(11, 1), path);
    await pull(generation(null, 2), path);
    const { features, geometries } = await diffSnapshots(path, { from: 1, to: 2 });
    expect(features.array("change")).toEqual(["changed"]);
    expect(geometries.array("moved_m")).toEqual([null]);
  });

  it("causes only ArgumentErrors, for random values", async () => {
    const types = ["Point", "LineString", "Polygon"].flatMap((type) => [type, `Multi${type}`]);
    const number = fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: -90, max: 90 }) },
      fc.constantFrom(null, "1", {}, []),
    );
    const nested = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        number,
        fc.array(number, { maxLength: 4 }),
        fc.array(tie("value"), { maxLength: 3 }),
      ),
    })).value;
    const coordinates = fc.array(nested, { maxLength: 3 });
    const flat = fc.record({ type: fc.constantFrom(...types), coordinates });
    const any = fc.oneof(
      flat,
      fc.record({
        type: fc.constant("GeometryCollection"),
        geometries: fc.array(fc.oneof(flat, nested), { maxLength: 2 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(any, async (geometry) => {
        const layer = await layerOf(good, geometry);
        await callAll(layer);
        const isFaulty = layer.diagnostics.some(({ code }) => code === "geometry-malformed");
        expect(isFaulty).toBe(geometryFault(geometry) !== undefined);
        const writes = [layer.toParquet({ path: newFile("parquet") }), layer.toGeoPackage({ path: newFile("gpkg") })];
        const errors = await Promise.all(writes.map((written) => written.catch((thrown: unknown) => thrown)));
        for (const error of errors) {
          if (isFaulty) expect(error).toBeInstanceOf(ArgumentError);
          else expect(error).toBeUndefined();
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("Parquet", () => {
  /** The geometries and the metadata of a file, by DuckDB. */
  async function read(path: string) {
    const { rows } = await duckdbRows(`SELECT geometry::VARCHAR, typeof(geometry) FROM read_parquet('${path}')`);
    const metadata = `SELECT decode(value) FROM parquet_kv_metadata('${path}') WHERE decode(key) = 'geo'`;
    const [[geo = "null"] = []] = (await duckdbRows(metadata)).rows;
    return { texts: rows.map(([text]) => text), type: rows[0]?.[1], geo: JSON.parse(String(geo)) };
  }

  it.each<[readonly unknown[], readonly unknown[], readonly string[]]>([
    [[line([0, 0], [1, 1, 5], [2, 2, 6])], ["LINESTRING Z (0 0 0, 1 1 5, 2 2 6)"], ["LineString Z"]],
    [
      [collection(point(1, 2, 3), point(4, 5)), point(5, 6)],
      ["GEOMETRYCOLLECTION Z (POINT Z (1 2 3), POINT Z (4 5 0))", "POINT (5 6)"],
      ["GeometryCollection Z", "Point"],
    ],
    [[multi(point(), point(11, 48))], ["MULTIPOINT (EMPTY, 11 48)"], ["MultiPoint"]],
    [[polygon([]), null, square(0, 0, 1)], ["POLYGON EMPTY", null, "POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))"], ["Polygon"]],
    [[point()], ["POINT EMPTY"], ["Point"]],
  ])("%j", async (geometries, texts, types) => {
    const path = newFile("parquet");
    await (await layerOf(...geometries)).toParquet({ path });
    const found = await read(path);
    expect(found.texts).toEqual(texts);
    expect(found.geo).toMatchObject({
      version: "1.0.0",
      primary_column: "geometry",
      columns: { geometry: { encoding: "WKB", geometry_types: types } },
    });
    expect(found.type).toMatch(/^GEOMETRY/);
  });

  it.each<[string, readonly unknown[]]>([
    ["no row", []],
    ["no place", [null, null]],
  ])("is GeoParquet with %s, too", async (_, geometries) => {
    const path = newFile("parquet");
    await (await layerOf(...geometries)).toParquet({ path });
    const { geo, texts } = await read(path);
    expect(texts).toEqual(geometries);
    expect(geo).toMatchObject({ version: "1.0.0", primary_column: "geometry" });
    expect(geo.columns).toEqual({ geometry: { encoding: "WKB", geometry_types: [] } });
  });

  it("has the bounding box of all features", async () => {
    const path = newFile("parquet");
    await (await layerOf(square(1, 2, 3), null, point(-5, 9, 7))).toParquet({ path });
    expect((await read(path)).geo.columns.geometry).toEqual({
      encoding: "WKB",
      geometry_types: ["Polygon", "Point Z"],
      bbox: [-5, 2, 4, 9],
    });
  });
});

const readers = findPython("geopandas,pyogrio");

describe.skipIf(!readers)("geopandas", () => {
  it.each<[string, readonly unknown[]]>([
    ["no row", []],
    ["no place", [null, null]],
    ["heights and what is empty", [line([0, 0], [1, 1, 5]), polygon([]), null]],
  ])("reads a layer with %s from both files", async (_, geometries) => {
    const [parquet, geopackage] = [newFile("parquet"), newFile("gpkg")];
    const layer = await layerOf(...geometries);
    await layer.toParquet({ path: parquet });
    await layer.toGeoPackage({ path: geopackage });
    const code = `import geopandas, sys
for frame in (geopandas.read_parquet(sys.argv[1]), geopandas.read_file(sys.argv[2])):
    print(len(frame), frame.crs.to_epsg() or frame.crs.to_authority(), list(frame.geometry.has_z))`;
    const printed = execFileSync(readers?.program ?? "", ["-c", code, parquet, geopackage], { encoding: "utf8" });
    const heights = geometries.map((geometry) => (JSON.stringify(geometry).includes("[1,1,5]") ? "True" : "False"));
    expect(printed.trim().split("\n")).toEqual([
      `${geometries.length} ('OGC', 'CRS84') [${heights.join(", ")}]`,
      `${geometries.length} 4326 [${heights.join(", ")}]`,
    ]);
  });
});

describe("GeoPackage", () => {
  const ask = (path: string, query: string) => {
    const database = new sqlite.Database(path, { readOnly: true });
    try {
      return database.all(query);
    } finally {
      database.close();
    }
  };

  it.each<[readonly unknown[], string]>([
    [[good], "POINT"],
    [[line([0, 0], [1, 1]), null], "LINESTRING"],
    [[good, line([0, 0], [1, 1])], "GEOMETRY"],
    [[null], "GEOMETRY"],
    [[], "GEOMETRY"],
    [[collection(good)], "GEOMETRYCOLLECTION"],
  ])("declares the type of its geometries (requirement 31): %j", async (geometries, type) => {
    const path = newFile("gpkg");
    await (await layerOf(...geometries)).toGeoPackage({ path, name: "places" });
    expect(ask(path, "SELECT type FROM pragma_table_info('places') WHERE name = 'geometry'")).toEqual([{ type }]);
    expect(ask(path, "SELECT table_name, geometry_type_name FROM gpkg_geometry_columns")).toEqual([
      { table_name: "places", geometry_type_name: type },
    ]);
  });

  it("keeps strings after a NUL, the mode of other files and the type of its features", async () => {
    const path = newFile("gpkg");
    const layer = await fromRecords({
      layerFeatures: [feature(1, { description: "pile 7\u0000, torque 81", semantic_type: "TRENCHES" })],
    }).layer({ site_id: 12 });
    await layer.toGeoPackage({ path, name: "a\u0000b" });
    expect(ask(path, 'SELECT description FROM "a␀b"')).toEqual([{ description: "pile 7␀, torque 81" }]);
    expect(ask(path, "SELECT table_name, identifier FROM gpkg_contents")).toEqual([
      { table_name: "a␀b", identifier: "TRENCHES" },
    ]);
    expect((await stat(path)).mode & 0o777).toBe(0o666 & ~process.umask());
  });
});
