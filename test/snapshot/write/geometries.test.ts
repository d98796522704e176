import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Geometry } from "geojson";
import { beforeAll, describe, expect, it } from "vitest";
import { fromRecords, pull } from "../../../src/index.js";
import { readManifest } from "../../../src/snapshot/folder/manifest-file.js";
import { duckdbJson } from "../../support/duckdb-rows.js";
import { findPython } from "../../support/python.js";
import { dataset, feature } from "../../support/records.js";
import { site } from "../moving-service.js";
import { newestFiles } from "../newest-files.js";
import { openedSnapshot } from "../opened-snapshot.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const path = join(folder, "shapes.snapshot");

const square = (west: number, south: number, size = 1) => [
  [west, south],
  [west + size, south],
  [west + size, south + size],
  [west, south + size],
  [west, south],
];

function nested(depth: number): Geometry {
  const point: Geometry = { type: "Point", coordinates: [1, 2] };
  return depth === 0 ? point : { type: "GeometryCollection", geometries: [nested(depth - 1)] };
}

/** Geometries and their well-known text; null if well-known binary, or a reader of it, does not accept the geometry. */
const shapes: readonly (readonly [geometry: unknown, text: string | null])[] = [
  [{ type: "Point", coordinates: [11.123456789012344, -48.5] }, "POINT (11.123456789012344 -48.5)"],
  [{ type: "Point", coordinates: [1, 2, 3.5] }, "POINT Z (1 2 3.5)"],
  [{ coordinates: [1, 2], type: "Point" }, "POINT (1 2)"],
  [{ type: "Point", coordinates: [1, 2], bbox: [1, 2, 1, 2], crs: "EPSG:4326" }, "POINT (1 2)"],
  [
    { type: "Polygon", coordinates: [square(0, 0, 4), square(1, 1)] },
    "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (1 1, 2 1, 2 2, 1 2, 1 1))",
  ],
  [
    { type: "MultiPolygon", coordinates: [[square(20, 20)], [square(30, 30)]] },
    "MULTIPOLYGON (((20 20, 21 20, 21 21, 20 21, 20 20)), ((30 30, 31 30, 31 31, 30 31, 30 30)))",
  ],
  [
    {
      type: "LineString",
      coordinates: [
        [5, 5, 1],
        [6, 6],
      ],
    },
    "LINESTRING Z (5 5 1, 6 6 0)",
  ],
  [
    {
      type: "GeometryCollection",
      geometries: [
        { type: "Point", coordinates: [7, 7] },
        { type: "Polygon", coordinates: [] },
      ],
    },
    "GEOMETRYCOLLECTION (POINT (7 7), POLYGON EMPTY)",
  ],
  [{ type: "Point", coordinates: [] }, "POINT EMPTY"],
  [null, null],
  [{ type: "Point", coordinates: ["11.5", 48] }, null],
  [{ type: "Polygon", coordinates: [square(0, 0).slice(0, 4)] }, null],
  [{ type: "LineString", coordinates: [[1, 2]] }, null],
  [nested(11), null],
];

const layerFeatures = shapes.map(([geometry], n) =>
  feature(n + 1, { geometry: geometry as Geometry, site_id: 1 + (n % 2), dataset_id: 1 }),
);
const company = {
  sites: [site(1), site(2)],
  datasets: [dataset(1, { site_id: null })],
  layerFeatures,
};

const filesOf = (place: string) => newestFiles(place, "layer_features");

beforeAll(() => pull(fromRecords(company), path));

describe("geometries of layer features", () => {
  it("are well-known binary with their boxes, null if readers do not accept them", async () => {
    const rows = await duckdbJson(`SELECT st_astext(geometry), bbox FROM read_parquet(${filesOf(path)}) ORDER BY id`);
    expect(rows.map(([text]) => text)).toEqual(shapes.map(([, text]) => text));
    expect(rows[0]?.[1]).toEqual({ xmin: 11.123456789012344, ymin: -48.5, xmax: 11.123456789012344, ymax: -48.5 });
    expect(rows[5]?.[1]).toEqual({ xmin: 20, ymin: 20, xmax: 31, ymax: 31 });
    expect(rows.slice(8).map(([, box]) => box)).toEqual([null, null, null, null, null, null]);
  });

  it("are unchanged in layers, records and responses, with the order of members", async () => {
    const offline = await openedSnapshot(path);
    const layer = await offline.layer({ site_id: [1, 2] });
    const live = await fromRecords(company).layer({ site_id: [1, 2] });
    const texts = (values: Iterable<unknown>) => Array.from(values, (value) => JSON.stringify(value));
    expect(texts(layer.table.array("geometry"))).toEqual(texts(live.table.array("geometry")));
    expect(layer.diagnostics).toEqual(live.diagnostics);
    const stored = await offline.sql("SELECT record->'geometry' AS geometry FROM layer_features ORDER BY id");
    const came = shapes.map(([geometry]) => JSON.stringify(geometry));
    expect([...stored.array("geometry")]).toEqual(came);
    const view = await offline.sql("SELECT geometry FROM TRENCHES ORDER BY id");
    expect([...view.array("geometry")]).toEqual(shapes.map(([geometry], n) => (geometry === null ? null : came[n])));
  });

  it("are GeoJSON in results of SQL, and can be filtered by place", async () => {
    const offline = await openedSnapshot(path);
    const found = await offline.sql(
      "SELECT id, geometry FROM layer_features WHERE geometry && 'POLYGON ((4.5 4.5, 8 4.5, 8 8, 4.5 8, 4.5 4.5))'::GEOMETRY ORDER BY id",
    );
    expect(found.objects()).toEqual([
      { id: 7, geometry: '{"type":"LineString","coordinates":[[5,5,1],[6,6,0]]}' },
      {
        id: 8,
        geometry:
          '{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[7,7]},{"type":"Polygon","coordinates":[]}]}',
      },
    ]);
    const boxed = await offline.sql(
      "SELECT id FROM layer_features WHERE bbox.xmin >= 5 AND bbox.ymin >= 5 ORDER BY id",
      {
        sandbox: true,
      },
    );
    expect([...boxed.array("id")]).toEqual([6, 7, 8]);
  });

  it("are kept by a pull without changes, and written again if they changed", async () => {
    const again = join(folder, "again.snapshot");
    const first = await pull(fromRecords(company), again);
    const before = (await readManifest(again)).files;
    await pull(fromRecords(company), again);
    expect((await readManifest(again)).files).toEqual(before);
    expect(first.rows.layerFeatures).toBe(shapes.length);
    const moved = layerFeatures.map((one) =>
      one.id === 1 ? { ...one, geometry: { type: "Point" as const, coordinates: [9, 9] } } : one,
    );
    await pull(fromRecords({ ...company, layerFeatures: moved.slice(0, -1) }), again);
    const rows = await duckdbJson(`SELECT st_astext(geometry) FROM read_parquet(${filesOf(again)}) ORDER BY id`);
    expect(rows.map(([text]) => text)).toEqual(["POINT (9 9)", ...shapes.slice(1, -1).map(([, text]) => text)]);
    await pull(fromRecords({ ...company, layerFeatures: moved.slice(1, -1) }), again);
    const gone = await duckdbJson(
      `SELECT id::INTEGER, st_astext(geometry), bbox.xmin FROM read_parquet(${newestFiles(again, "gone_features")}) ORDER BY id`,
    );
    expect(gone).toEqual([
      [1, "POINT (9 9)", 9],
      [shapes.length, null, null],
    ]);
  });
});

const python = findPython("geopandas, pyarrow");

interface FoundFeatures {
  readonly crs: string;
  readonly shapes: Readonly<Record<string, string | null>>;
  readonly sites: readonly string[];
  readonly inBox: Readonly<Record<string, string>>;
  readonly files: readonly {
    readonly inBox: Readonly<Record<string, string>>;
    readonly geo: unknown;
    readonly rowGroups: readonly unknown[];
  }[];
}

describe.skipIf(!python)("geopandas", () => {
  it("opens the features as a map, and reads the features of a box", () => {
    const script = join(import.meta.dirname, "python", "read_features.py");
    const given = [script, join(path, "files", "layer_features"), "[4.5, 4.5, 25, 25]"];
    const found = JSON.parse(
      execFileSync(python?.program ?? "", given, { env: python?.env, encoding: "utf8" }),
    ) as FoundFeatures;
    expect(found.crs).toBe("OGC:CRS84");
    expect(found.sites).toEqual(["1", "2"]);
    expect(Object.values(found.shapes)).toEqual(shapes.map(([, text]) => text));
    const inBox = { 6: shapes[5]?.[1], 7: shapes[6]?.[1], 8: shapes[7]?.[1] };
    expect(found.inBox).toEqual(inBox);
    const [odd, even] = found.files;
    expect(odd?.inBox).toEqual({ 7: inBox[7] });
    expect(even?.inBox).toEqual({ 6: inBox[6], 8: inBox[8] });
    expect(odd?.rowGroups).toEqual([
      {
        "bbox.xmin": [0, 11.123456789012344],
        "bbox.ymin": [-48.5, 5],
        "bbox.xmax": [1, 11.123456789012344],
        "bbox.ymax": [-48.5, 6],
      },
    ]);
    const side = (name: string) => ["bbox", name];
    expect(odd?.geo).toEqual({
      version: "1.1.0",
      primary_column: "geometry",
      columns: {
        geometry: {
          encoding: "WKB",
          geometry_types: ["LineString Z", "Point", "Polygon"],
          bbox: [0, -48.5, 11.123456789012344, 6],
          covering: { bbox: { xmin: side("xmin"), ymin: side("ymin"), xmax: side("xmax"), ymax: side("ymax") } },
        },
      },
    });
  });
});
