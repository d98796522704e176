import { execFileSync } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import type { Geometry, Position } from "geojson";
import sqlite from "node-sqlite3-wasm";
import { describe, expect, it } from "vitest";
import { ArgumentError } from "../../src/core/errors.js";
import { compareCaptures, connect, diffSnapshots, fromRecords, type Layer, pull } from "../../src/index.js";
import { centroidOf } from "../../src/layer/place/geometry-place.js";
import { layerMap } from "../../src/plot/index.js";
import { geometryFault } from "../../src/tables/export/sound-geometry.js";
import { temporaryFolder } from "../snapshot/temporary-folder.js";
import { findPython } from "../support/python.js";
import { dataset, feature } from "../support/records.js";
import { serveRecords } from "../support/serve-records.js";

const folder = temporaryFolder();
let files = 0;
const newFile = (extension: string) => join(folder, `geometry-${++files}.${extension}`);

const layerOf = (...geometries: readonly unknown[]): Promise<Layer> =>
  fromRecords({
    layerFeatures: geometries.map((geometry, n) => feature(n + 1, { geometry: geometry as Geometry })),
    datasets: [dataset(1)],
  }).layer({ site_id: 12 });

const line = (...coordinates: Position[]): Geometry => ({ type: "LineString", coordinates });
const ring = (x: number, y: number, width: number, height = width): Position[] => [
  [x, y],
  [x + width, y],
  [x + width, y + height],
  [x, y + height],
  [x, y],
];
const square = (x: number, y: number, size: number): Geometry => ({ type: "Polygon", coordinates: [ring(x, y, size)] });
/** Degrees of a metre at the equator. */
const m = 1 / 111_195;

describe("the centre of a geometry", () => {
  it.each<[string, Geometry, readonly [number, number] | null]>([
    ["a line", line([0, 0], [100 * m, 0]), [50 * m, 0]],
    ["a line with a vertex a millimetre aside", line([0, 0], [100 * m, 0], [100 * m, 0.001 * m]), [50.0005 * m, 0]],
    [
      "a line whose vertices stand closer at one end",
      line([0, 0], [90 * m, 0], [95 * m, 0], [100 * m, 0]),
      [50 * m, 0],
    ],
    [
      "several lines, by length",
      {
        type: "MultiLineString",
        coordinates: [
          [
            [0, 0],
            [3, 0],
          ],
          [
            [10, 0],
            [11, 0],
          ],
        ],
      },
      [3.75, 0],
    ],
    [
      "several points, by number",
      {
        type: "MultiPoint",
        coordinates: [
          [0, 0],
          [0, 0],
          [3, 3],
        ],
      },
      [1, 1],
    ],
    ["an empty member of several", { type: "MultiPoint", coordinates: [[], [3, 3]] }, [3, 3]],
    ["a polygon", square(1, 2, 2), [2, 3]],
    ["an empty ring among others", { type: "Polygon", coordinates: [ring(1, 2, 2), []] }, [2, 3]],
    [
      "a polygon without area: its outline",
      {
        type: "Polygon",
        coordinates: [
          [
            [0, 0],
            [4, 0],
            [0, 0],
          ],
        ],
      },
      [2, 0],
    ],
    ["a line without length: its point", line([4, 5], [4, 5]), [4, 5]],
    [
      "a collection: the parts with the most dimensions",
      {
        type: "GeometryCollection",
        geometries: [{ type: "Point", coordinates: [90, 0] }, line([50, 0], [60, 0]), square(1, 2, 2)],
      },
      [2, 3],
    ],
    [
      "a collection in a collection",
      {
        type: "GeometryCollection",
        geometries: [{ type: "GeometryCollection", geometries: [line([50, 0], [60, 0])] }],
      },
      [55, 0],
    ],
    ["nothing", { type: "GeometryCollection", geometries: [] }, null],
    ["a point without coordinates", { type: "Point", coordinates: [] }, null],
    ["a polygon without rings", { type: "Polygon", coordinates: [[]] }, null],
  ])("%s", (_, geometry, centre) => {
    const found = centroidOf(geometry);
    if (centre === null) return expect(found).toBeNull();
    expect(found?.[0]).toBeCloseTo(centre[0], 8);
    expect(found?.[1]).toBeCloseTo(centre[1], 8);
  });

  it("weighs lines by metres: a degree of longitude is half as long at 60°", () => {
    // 0.002° eastwards are as long as 0.001° northwards there.
    const [x = 0, y = 0] = centroidOf(line([10, 60], [10.002, 60], [10.002, 60.001])) ?? [];
    expect(x).toBeCloseTo(10.0015, 6);
    expect(y).toBeCloseTo(60.00025, 6);
  });

  it.each<[string, Geometry, number]>([
    ["polygons", { type: "MultiPolygon", coordinates: [[ring(179.999, 0, 0.001)], [ring(-180, 0, 0.001)]] }, 180],
    [
      "lines",
      {
        type: "MultiLineString",
        coordinates: [
          [
            [179.999, 0],
            [180, 0],
          ],
          [
            [-180, 0],
            [-179.999, 0],
          ],
        ],
      },
      180,
    ],
    [
      "points",
      {
        type: "MultiPoint",
        coordinates: [
          [179, 0],
          [-177, 0],
        ],
      },
      -179,
    ],
    ["a collection", { type: "GeometryCollection", geometries: [square(179, 0, 1), square(-180, 0, 3)] }, -178.7],
    [
      "points far apart, the short way",
      {
        type: "MultiPoint",
        coordinates: [
          [-74, 40],
          [139, 40],
        ],
      },
      -147.5,
    ],
    [
      "points on both sides of 0°",
      {
        type: "MultiPoint",
        coordinates: [
          [-60, 0],
          [90, 0],
        ],
      },
      15,
    ],
  ])("lies near 180° where %s are cut there", (_, geometry, longitude) => {
    const [x = 0] = centroidOf(geometry) ?? [];
    expect(Math.abs(x)).toBeCloseTo(Math.abs(longitude), 6);
    if (Math.abs(longitude) < 180) expect(Math.sign(x)).toBe(Math.sign(longitude));
  });

  it("does not move with a vertex on the way", () => {
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

  it("is the same for a thing that was drawn again a millimetre aside", async () => {
    const july = await layerOf(line([0, 0], [100 * m, 0]));
    const august = await fromRecords({
      layerFeatures: [feature(2, { geometry: line([0, 0], [100 * m, 0], [100 * m, 0.001 * m]) })],
    }).layer({ site_id: 12 });
    const found = await compareCaptures([july, august], { maxDistance: 0.01 });
    expect(found.array("status")).toEqual(["new", "persistent"]);
  });
});

const python = findPython("shapely");

describe.skipIf(!python)("shapely", () => {
  it("has the same centres, of whatever geometry", () => {
    // Near the equator, where a degree is one either way.
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

/** What comes as a geometry and is none, and where it is wrong. */
const malformed: readonly (readonly [unknown, string])[] = [
  [{ type: "Point", coordinates: ["11.5", "48.1"] }, 'coordinates[0] is "11.5"'],
  [{ type: "Point", coordinates: [null, 48] }, "coordinates[0] is null"],
  [{ type: "Point", coordinates: [11, 48, "7"] }, 'coordinates[2] is "7"'],
  [{ type: "Point", coordinates: [7] }, "coordinates has one number"],
  [{ type: "Point", coordinates: [[11, 48]] }, "coordinates[0] is [11,48]"],
  [{ type: "LineString", coordinates: [[], [1, 2]] }, "coordinates[0] has no numbers"],
  [{ type: "LineString", coordinates: [11, 48] }, "coordinates[0] is 11"],
  [
    {
      type: "Polygon",
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
    "coordinates[0][0] is 1",
  ],
  [{ type: "Polygon", coordinates: [[[1, 2], null]] }, "coordinates[0][1] is null"],
  [
    {
      type: "MultiPolygon",
      coordinates: [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    },
    "coordinates[0][0][0] is 1",
  ],
  [{ type: "GeometryCollection", geometries: [null] }, "geometries[0] is null"],
  [
    { type: "GeometryCollection", geometries: [{ type: "Point", coordinates: [7] }] },
    "geometries[0].coordinates has one number",
  ],
  [deepCollection(3000), "it holds collections in each other, more than 200"],
];

function deepCollection(depth: number): Geometry {
  let geometry: Geometry = { type: "Point", coordinates: [1, 2] };
  for (let level = 0; level < depth; level += 1) geometry = { type: "GeometryCollection", geometries: [geometry] };
  return geometry;
}

const good: Geometry = { type: "Point", coordinates: [11, 48] };

/** Everything that looks at where features lie. */
async function callAll(layer: Layer): Promise<void> {
  await layer.places();
  await layer.join(layer, { by: "nearest", maxMeters: 5 });
  await layer.join(layer, { by: "within" });
  await compareCaptures([layer, layer], { maxDistance: 1 });
  await layer.toCSV();
  await layer.toArrow();
  layer.toGeoJSON();
  layer.describe();
  layerMap(layer, "visible_id").toSVG();
  for (const symbol of Object.getOwnPropertySymbols(Object.getPrototypeOf(layer))) {
    if (symbol.description === "Jupyter.display") await Reflect.get(layer, symbol).call(layer);
  }
}

describe("a geometry that is none", () => {
  it.each(malformed.map(([, where]) => where))("is a finding, has no place and stops nothing: %s", async (where) => {
    const [geometry] = malformed.find(([, one]) => one === where) ?? [];
    expect(geometryFault(geometry)).toBeDefined();
    const layer = await layerOf(good, geometry);
    expect(layer.findings).toEqual([
      expect.objectContaining({
        code: "malformed-geometry",
        count: 1,
        message: expect.stringContaining(`(id 2: ${where}): it has no place`),
        facts: { ids: [2] },
      }),
    ]);
    await callAll(layer);
    expect((await layer.places()).array("longitude")).toEqual([11, null]);
    expect((await compareCaptures([layer, layer], { maxDistance: 1 })).findings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(["without-place", "malformed-geometry"]),
    );
    const words = { message: expect.stringContaining(`row 2 (id 2) has no geometry that can be stored: ${where}.`) };
    const writes = [layer.toParquet({ path: newFile("parquet") }), layer.toGeoPackage({ path: newFile("gpkg") })];
    await Promise.all(
      writes.map((written) => expect(written).rejects.toMatchObject({ code: "ERR_ARGUMENT", ...words })),
    );
  });

  it("is told of a live layer, whose usual geometries are not looked at", async () => {
    const records = malformed.slice(0, 5).map(([geometry], n) => feature(n + 2, { geometry: geometry as Geometry }));
    const layerFeatures = [
      feature(1, { geometry: good }),
      ...records,
      feature(99),
      feature(100, { geometry: square(1, 2, 3) }),
    ];
    const server = await serveRecords({
      layerFeatures: JSON.stringify(layerFeatures),
      datasets: JSON.stringify([dataset(1)]),
    });
    const source = connect({ baseUrl: server.url, apiKey: "k", pageSize: 10, progress: false });
    const layer = await source.layer({ site_id: 12 });
    server.close();
    expect(layer.findings).toEqual([
      expect.objectContaining({
        code: "malformed-geometry",
        count: records.length,
        facts: { ids: records.slice(0, 10).map(({ id }) => id) },
      }),
    ]);
    await callAll(layer);
  });

  it("leaves the difference of two states of a snapshot without a distance", async () => {
    const path = join(folder, "moved.snapshot");
    const state = (coordinates: unknown, day: number) =>
      fromRecords({
        datasets: [dataset(1)],
        layerFeatures: [
          feature(1, {
            geometry: { type: "Point", coordinates: coordinates as Position },
            updated_at: `2024-01-0${day}T00:00:00Z`,
          }),
        ],
      });
    await pull(state([11, 48], 1), path);
    await pull(state([null, 48], 2), path);
    const { features, geometries } = await diffSnapshots(path, { from: 1, to: 2 });
    expect(features.array("change")).toEqual(["changed"]);
    expect(geometries.array("moved_m")).toEqual([null]);
  });

  it("or is one: whatever comes, nothing but an ArgumentError is thrown", async () => {
    const types = [
      "Point",
      "MultiPoint",
      "LineString",
      "MultiLineString",
      "Polygon",
      "MultiPolygon",
      "GeometryCollection",
    ];
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
    const flat = fc.record({ type: fc.constantFrom(...types.slice(0, -1)), coordinates });
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
        const isFaulty = layer.findings.some(({ code }) => code === "malformed-geometry");
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
  /** The geometries of a file as text, and what it says of itself, by DuckDB. */
  async function read(path: string) {
    const connection = await (await DuckDBInstance.create()).connect();
    const rows = await connection.runAndReadAll(
      `SELECT geometry::VARCHAR AS g, typeof(geometry) AS t FROM read_parquet('${path}')`,
    );
    const told = await connection.runAndReadAll(
      `SELECT decode(value) AS v FROM parquet_kv_metadata('${path}') WHERE decode(key) = 'geo'`,
    );
    return {
      texts: rows.getRows().map(([text]) => text),
      type: rows.getRows()[0]?.[1],
      geo: JSON.parse(String(told.getRows()[0]?.[0] ?? "null")),
    };
  }

  it.each<[readonly unknown[], readonly unknown[], readonly string[]]>([
    [[line([0, 0], [1, 1, 5], [2, 2, 6])], ["LINESTRING Z (0 0 0, 1 1 5, 2 2 6)"], ["LineString Z"]],
    [
      [
        {
          type: "GeometryCollection",
          geometries: [
            { type: "Point", coordinates: [1, 2, 3] },
            { type: "Point", coordinates: [4, 5] },
          ],
        },
        { type: "Point", coordinates: [5, 6] },
      ],
      ["GEOMETRYCOLLECTION Z (POINT Z (1 2 3), POINT Z (4 5 0))", "POINT (5 6)"],
      ["GeometryCollection Z", "Point"],
    ],
    [[{ type: "MultiPoint", coordinates: [[], [11, 48]] }], ["MULTIPOINT (EMPTY, 11 48)"], ["MultiPoint"]],
    [
      [{ type: "Polygon", coordinates: [[]] }, null, square(0, 0, 1)],
      ["POLYGON EMPTY", null, "POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))"],
      ["Polygon"],
    ],
    [[{ type: "Point", coordinates: [] }], ["POINT EMPTY"], ["Point"]],
  ])("%j", async (geometries, texts, types) => {
    const path = newFile("parquet");
    await (await layerOf(...geometries)).toParquet({ path });
    const found = await read(path);
    expect(found).toMatchObject({
      texts,
      geo: {
        version: "1.0.0",
        primary_column: "geometry",
        columns: { geometry: { encoding: "WKB", geometry_types: types } },
      },
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
    expect(geo).toEqual({
      version: "1.0.0",
      primary_column: "geometry",
      columns: { geometry: { encoding: "WKB", geometry_types: [] } },
    });
  });

  it("tells the box around all", async () => {
    const path = newFile("parquet");
    await (await layerOf(square(1, 2, 3), null, { type: "Point", coordinates: [-5, 9, 7] })).toParquet({ path });
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
    ["heights and what is empty", [line([0, 0], [1, 1, 5]), { type: "Polygon", coordinates: [[]] }, null]],
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
    [[{ type: "GeometryCollection", geometries: [good] }], "GEOMETRYCOLLECTION"],
  ])("declares the type that it says (requirement 31): %j", async (geometries, type) => {
    const path = newFile("gpkg");
    await (await layerOf(...geometries)).toGeoPackage({ path, name: "places" });
    expect(ask(path, "SELECT type FROM pragma_table_info('places') WHERE name = 'geometry'")).toEqual([{ type }]);
    expect(ask(path, "SELECT table_name, geometry_type_name FROM gpkg_geometry_columns")).toEqual([
      { table_name: "places", geometry_type_name: type },
    ]);
  });

  it("keeps a text behind a NUL, has the mode of other files, and says what its features are", async () => {
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
