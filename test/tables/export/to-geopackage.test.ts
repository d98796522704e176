import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import type { Geometry } from "geojson";
import sqlite from "node-sqlite3-wasm";
import { describe, expect, it } from "vitest";
import { fromRecords, toGeoPackage } from "../../../src/index.js";
import { toTable } from "../../../src/tables/column/table.js";
import { toWkb } from "../../../src/tables/export/wkb.js";
import { temporaryFolder } from "../../snapshot/temporary-folder.js";
import { findPython } from "../../support/python.js";
import { randomRuns } from "../../support/random-runs.js";
import { definition, feature, uuid } from "../../support/records.js";
import { toWkt } from "./to-wkt.js";

const folder = temporaryFolder();
const types = {
  Cost: "FLOAT",
  Count: "INTEGER",
  Day: "DATE",
  FID: "STRING",
  Links: "RELATIONSHIP",
  Safe: "BOOLEAN",
  Seen: "DATETIME",
};
const keys = Object.keys(types).map((_, n) => uuid(n, "aaaaaaaa"));
const square = [
  [
    [1, 2],
    [3, 2],
    [3, 4],
    [1, 2],
  ],
];
const rows: readonly { readonly values: readonly unknown[]; readonly geometry: Geometry | null }[] = [
  {
    values: [1.5, 2 ** 40, "2024-06-30", "a", [7, 8], true, "2024-06-30T12:00:00.5Z"],
    geometry: { type: "Polygon", coordinates: square },
  },
  { values: ["n/a", null, "soon", null, 9, false, null], geometry: { type: "Point", coordinates: [-5, 6, 7] } },
  { values: [], geometry: null },
];

function layer() {
  return fromRecords({
    layerFeatures: rows.map(({ values, geometry }, n) =>
      feature(n + 1, { properties: Object.fromEntries(keys.map((key, at) => [key, values[at] ?? null])), geometry }),
    ),
    propertyDefinitions: Object.entries(types).map(([name, type], n) => definition(keys[n] ?? "", name, { type })),
  }).layer({ site_id: 12 });
}

/** The rows of a query over a file. */
function rowsOf(path: string, query: string) {
  const database = new sqlite.Database(path, { readOnly: true });
  try {
    return database.all(query);
  } finally {
    database.close();
  }
}

describe("toGeoPackage", () => {
  it("has the tables of the standard, the extent and typed columns", async () => {
    const path = join(folder, "site 12.gpkg");
    await (await layer()).toGeoPackage({ path });
    expect(rowsOf(path, "SELECT * FROM pragma_application_id, pragma_user_version")).toEqual([
      { application_id: 0x47504b47, user_version: 10_300 },
    ]);
    expect(rowsOf(path, "SELECT table_name, data_type, min_x, min_y, max_x, max_y, srs_id FROM gpkg_contents")).toEqual(
      [{ table_name: "site 12", data_type: "features", min_x: -5, min_y: 2, max_x: 3, max_y: 6, srs_id: 4326 }],
    );
    expect(rowsOf(path, "SELECT * FROM gpkg_geometry_columns")).toEqual([
      { table_name: "site 12", column_name: "geometry", geometry_type_name: "GEOMETRY", srs_id: 4326, z: 2, m: 0 },
    ]);
    expect(rowsOf(path, "SELECT srs_id FROM gpkg_spatial_ref_sys ORDER BY 1")).toEqual(
      [-1, 0, 4326].map((srs_id) => ({ srs_id })),
    );
    const listed = rowsOf(path, `SELECT name, type FROM pragma_table_info('site 12')`);
    expect(listed).toEqual(
      expect.arrayContaining([
        { name: "fid_", type: "INTEGER" },
        { name: "Cost", type: "DOUBLE" },
        { name: "Day", type: "DATE" },
        { name: "FID", type: "TEXT" },
        { name: "created_at", type: "DATETIME" },
        { name: "geometry", type: "GEOMETRY" },
      ]),
    );
    const stored = rowsOf(
      path,
      `SELECT "Cost", "Count", "Day", "Links", "Safe", "Seen", typeof("Count") AS t FROM "site 12"`,
    );
    const nothing = { Cost: null, Count: null, Day: null, Links: null, Safe: null, Seen: null, t: "null" };
    const times = { Day: "2024-06-30", Seen: "2024-06-30T12:00:00.500Z" };
    expect(stored).toEqual([
      { Cost: 1.5, Count: 2 ** 40, Links: "[7,8]", Safe: 1, ...times, t: "integer" },
      { ...nothing, Links: "[9]", Safe: 0 },
      nothing,
    ]);
    expect(rowsOf(path, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    expect(rowsOf(path, "PRAGMA foreign_key_check")).toEqual([]);
  });

  it("holds tables without geometries as attributes", async () => {
    const path = join(folder, "gpkg_counts.gpkg");
    await toGeoPackage(
      toTable([
        ["value", ["a", "b"]],
        ["count", [1, 2]],
      ]),
      { path },
    );
    expect(rowsOf(path, "SELECT data_type, srs_id FROM gpkg_contents")).toEqual([
      { data_type: "attributes", srs_id: null },
    ]);
    expect(rowsOf(path, "SELECT count(*) AS n FROM gpkg_geometry_columns")).toEqual([{ n: 0 }]);
    expect(rowsOf(path, 'SELECT sum("count") AS n FROM table_gpkg_counts')).toEqual([{ n: 3 }]);
  });

  it("refuses invalid geometries and keeps the existing file", async () => {
    const path = join(folder, "odd.gpkg");
    await writeFile(path, "before");
    const shapes = [{ type: "Polygon", coordinates: [[["x", 1]]] }];
    await expect(toGeoPackage(toTable([["geometry", shapes]]), { path })).rejects.toMatchObject({
      code: "ERR_ARGUMENT",
      hint: "Filter the row out, or write GeoJSON, which keeps invalid geometries.",
      facts: { column: "geometry", row: 1, path: "coordinates[0][0][0]" },
    });
    expect(await readFile(path, "utf8")).toBe("before");
    await expect(toGeoPackage(toTable([]), { path: join(folder, "none", "x.gpkg") })).rejects.toThrow(
      "cannot be written: the folder",
    );
  });

  it("replaces lone surrogates, and writes invalid dates as null", async () => {
    const path = join(folder, "odd_values.gpkg");
    const table = toTable([
      ["name", ["a\ud800b", "\udc00", "😀"]],
      ["at", [new Date("2024-06-30T12:00:00Z"), new Date(Number.NaN), null]],
      ["code", [new Date(Number.NaN), "x", 1]],
    ]);
    await toGeoPackage(table, { path });
    expect(rowsOf(path, 'SELECT "name", "at" FROM odd_values')).toEqual([
      { name: "a\ufffdb", at: "2024-06-30T12:00:00.000Z" },
      { name: "\ufffd", at: null },
      { name: "😀", at: null },
    ]);
    expect(rowsOf(path, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  });

  it("writes geometries as DuckDB does", async () => {
    const position = fc.tuple(
      fc.integer({ min: -180, max: 180 }),
      fc.double({ min: -90, max: 90, noNaN: true }).map((y) => y || 0),
    );
    const line = fc.array(position, { minLength: 2, maxLength: 4 });
    const geometry = fc.oneof(
      position.map((coordinates) => ({ type: "Point", coordinates })),
      line.map((coordinates) => ({ type: "LineString", coordinates })),
      fc.array(position, { minLength: 1, maxLength: 3 }).map((coordinates) => ({ type: "MultiPoint", coordinates })),
      fc.array(line, { minLength: 1, maxLength: 3 }).map((coordinates) => ({ type: "MultiLineString", coordinates })),
      fc.array(line, { minLength: 1, maxLength: 3 }).map((coordinates) => ({ type: "Polygon", coordinates })),
      fc
        .array(fc.array(line, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 })
        .map((coordinates) => ({ type: "MultiPolygon", coordinates })),
    ) as fc.Arbitrary<Geometry>;
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const shapes = fc.oneof(
      geometry,
      fc
        .array(geometry, { minLength: 1, maxLength: 2 })
        .map((geometries): Geometry => ({ type: "GeometryCollection", geometries })),
    );
    await fc.assert(
      fc.asyncProperty(shapes, async (shape) => {
        const read = await connection.runAndReadAll(`SELECT hex(st_aswkb('${toWkt(shape)}'::GEOMETRY)) AS wkb`);
        expect(toWkb(shape).toString("hex").toUpperCase()).toBe(read.getRowObjectsJson()[0]?.["wkb"]);
      }),
      { numRuns: randomRuns(60) },
    );
  });
});

const python = findPython("geopandas");

describe.skipIf(!python)("geopandas", () => {
  it("opens it with CRS, types and geometries", async () => {
    const path = join(folder, "python.gpkg");
    await (await layer()).toGeoPackage({ path });
    const printed = execFileSync(
      python?.program ?? "",
      [join(import.meta.dirname, "python", "read_geopackage.py"), path],
      { encoding: "utf8" },
    );
    expect(JSON.parse(printed)).toEqual({
      layers: [["python", "Unknown"]],
      crs: "EPSG:4326",
      bounds: [-5, 2, 3, 6],
      shapes: ["POLYGON ((1 2, 3 2, 3 4, 1 2))", "POINT Z (-5 6 7)", null],
      types: expect.objectContaining({
        id: "int64",
        Cost: "float64",
        Count: "int64",
        Day: "datetime64[D]",
        FID: "object",
        Safe: "bool",
        Seen: "datetime64[ms]",
      }),
      cost: 1.5,
      seen: "2024-06-30T12:00:00.500000+00:00",
      day: "2024-06-30",
    });
  });
});
