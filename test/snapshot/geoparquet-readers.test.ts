import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSnapshot, type Snapshot, writeDuckLake } from "../../src/index.js";
import { writeSample } from "../support/asked-sample.js";
import { findPython, type Python } from "../support/python.js";
import { LakeReader } from "./lake/ask-lake.js";
import { temporaryFolder } from "./temporary-folder.js";

const python = findPython("duckdb, duckdb_extension_ducklake, duckdb_extension_spatial, geopandas, lonboard, pyarrow");
const folder = temporaryFolder();
const path = join(folder, "acme.snapshot");
const files = `read_parquet('${path}/files/layer_features/**/*.parquet', hive_partitioning = true)`;
/** The ellipsoid of DuckDB and the sphere of a layer differ by less. */
const TOLERANCE = 0.01;
const TYPES = [
  { type: "TRENCHES", drawn: "PathLayer" },
  { type: "SOLAR_PANELS", drawn: "PolygonLayer" },
  { type: "PUNCH_LIST_ITEMS", drawn: "ScatterplotLayer" },
];

/** The output of a Python program. */
async function printed(args: readonly string[]): Promise<string> {
  const { program, env } = python as Python;
  return (await promisify(execFile)(program, args, { env })).stdout;
}

interface Place {
  readonly id: number;
  readonly longitude: number;
  readonly latitude: number;
  readonly area_m2: number;
  readonly length_m: number;
}

describe.skipIf(!python)("geometries of a snapshot", () => {
  let reader: LakeReader;
  let snapshot: Snapshot;
  beforeAll(async () => {
    await writeSample(path);
    const { path: catalog } = await writeDuckLake(path);
    snapshot = await openSnapshot(path);
    reader = new LakeReader(python, ["ducklake", "spatial"]);
    await reader.attach(catalog, "lake", "READ_ONLY", ["SET geometry_always_xy = true"]);
  });
  afterAll(async () => {
    reader.close();
    await snapshot.close();
  });

  it("are a column of DuckDB's spatial extension, in files and in the lake", async () => {
    const types = (of: string) =>
      reader.sql(`SELECT column_type AS t FROM (DESCRIBE FROM ${of}) WHERE column_name = 'geometry'`);
    expect((await types(files)).array("t")).toEqual(["GEOMETRY('OGC:CRS84')"]);
    expect((await types("layer_features")).array("t")).toEqual(["GEOMETRY"]);
  });

  it.each(TYPES)("have the size and place of a layer of $type", async ({ type }) => {
    const layer = await snapshot.layer({ semantic_type: type });
    const places = (await layer.centroids()).select("id", "longitude", "latitude", "area_m2", "length_m");
    const expected = places.orderby("id").objects() as Place[];
    expect(expected.length).toBeGreaterThan(0);
    const measured = (geometry: string, of: string) => `SELECT id, ST_X(ST_Centroid(${geometry})) AS longitude,
      ST_Y(ST_Centroid(${geometry})) AS latitude, ST_Area_Spheroid(${geometry}) AS area_m2,
      ST_Length_Spheroid(${geometry}) + ST_Perimeter_Spheroid(${geometry}) AS length_m FROM ${of} ORDER BY id`;
    const ofType = (table: string) => `${table} WHERE semantic_type = '${type}'`;
    for (const query of [
      measured("geometry", ofType(files)),
      measured("geometry", ofType("layer_features")),
      measured("ST_GeomFromGeoJSON(geometry)", `"${type}"`),
    ]) {
      const found = (await reader.sql(query)).objects() as Place[];
      expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      for (const [at, place] of found.entries()) {
        const { longitude, latitude, area_m2, length_m } = expected[at] as Place;
        expect(Math.abs(place.longitude - longitude)).toBeLessThan(1e-4);
        expect(Math.abs(place.latitude - latitude)).toBeLessThan(1e-4);
        expect(Math.abs(place.area_m2 - (area_m2 ?? 0))).toBeLessThanOrEqual(TOLERANCE * (area_m2 ?? 0));
        expect(Math.abs(place.length_m - (length_m ?? 0))).toBeLessThanOrEqual(TOLERANCE * (length_m ?? 0));
      }
    }
  });

  it("need geometry_always_xy in DuckDB to be measured", async () => {
    const area = `SELECT sum(ST_Area_Spheroid(geometry)) AS a FROM ${files} WHERE semantic_type = 'SOLAR_PANELS'`;
    const right = Number((await reader.sql(area)).get("a", 0));
    await reader.sql("SET geometry_always_xy = false");
    const wrong = Number((await reader.sql(area)).get("a", 0));
    await reader.sql("SET geometry_always_xy = true");
    expect(wrong / right).toBeGreaterThan(1.2);
  });

  it("are read by GeoPandas with all columns if the site is declared as a number", async () => {
    const script = join(import.meta.dirname, "python", "read_places.py");
    const stdout = await printed([script, join(path, "files", "layer_features")]);
    const counted = await snapshot.sql("SELECT count(*) AS n, count(site_id) AS sites FROM layer_features");
    const [rows, sites] = [Number(counted.get("n", 0)), Number(counted.get("sites", 0))];
    expect(sites).toBeLessThan(rows);
    expect(JSON.parse(stdout)).toEqual({
      rows,
      sites,
      crs: "OGC:CRS84",
      refused: ["Cannot yet unify dictionaries with nulls"],
    });
  });

  it.each(["FROM TRENCHES", "FROM TRENCHES_AT('2025-06-30')", "FROM TRENCHES WHERE id IS NULL", "FROM layer_features"])(
    "are read by GeoPandas from the result of a query: %s",
    async (query) => {
      const file = join(folder, "copied.parquet");
      await snapshot.writeTo(query, file, "parquet");
      const script = `import geopandas, sys
frame = geopandas.read_parquet(sys.argv[1])
print(len(frame), int(frame.geometry.notna().sum()), frame.crs)`;
      const stdout = await printed(["-c", script, file]);
      const counted = await snapshot.sql(`SELECT count(*) AS n, count(geometry) AS places FROM (${query})`);
      expect(stdout.trim()).toBe(`${counted.get("n", 0)} ${counted.get("places", 0)} OGC:CRS84`);
    },
  );

  it.each(TYPES)("are on a map of Lonboard, with all of $type", async ({ type, drawn }) => {
    const layer = await snapshot.layer({ semantic_type: type });
    const [parquet, arrow] = [join(folder, `${type}.parquet`), join(folder, `${type}.arrows`)];
    await layer.toParquet({ path: parquet });
    await layer.toArrowIPC({ path: arrow });
    const script = join(import.meta.dirname, "python", "draw_maps.py");
    const stdout = await printed([script, type, join(path, "files", "layer_features"), parquet, arrow]);
    const maps = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(maps).toHaveLength(3);
    for (const map of maps) expect(map).toMatchObject({ kind: drawn, features: layer.rowCount });
  });
});
