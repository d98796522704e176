import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { fromRecords, openSnapshot, pull, type Snapshot } from "../../../src/index.js";
import { dataset, feature } from "../../support/records.js";
import { site } from "../moving-service.js";
import { reportedDiagnostics } from "../reported-diagnostics.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const point = { type: "Point", coordinates: [11.5, 48.1] } as const;
const area = {
  type: "Polygon",
  coordinates: [
    [
      [11, 48, 5],
      [12, 48, 5],
      [12, 49, 5],
      [11, 48, 5],
    ],
  ],
} as const;
const broken = { type: "Point", coordinates: ["11.5", 48.1] };
let snapshot: Snapshot;

beforeAll(async () => {
  const path = join(folder, "areas.snapshot");
  const source = fromRecords({
    sites: [site(1)],
    datasets: [dataset(1, { site_id: 1 })],
    layerFeatures: [point, area, null, broken].map((geometry, index) =>
      feature(index + 1, { site_id: 1, geometry: geometry as never }),
    ),
    propertyChanges: [],
  });
  await pull(source, path);
  snapshot = await openSnapshot(path);
  return () => snapshot.close();
});

/** The metadata `geo` of a file, and the geometries of its column as SQL has them. */
async function geoOf(path: string) {
  const found = await snapshot.sql(`SELECT decode(value) AS geo FROM parquet_kv_metadata('${path}') WHERE key = 'geo'`);
  const geo: unknown = JSON.parse(String(found.get("geo", 0)));
  const rows = await snapshot.sql(`SELECT geometry FROM '${path}' ORDER BY id`);
  return { geo, geometries: Array.from(rows.array("geometry"), (text) => JSON.parse(String(text)) as unknown) };
}

const queries = [
  "SELECT id, geometry FROM TRENCHES ORDER BY id;",
  "SELECT id, geometry FROM TRENCHES_AT('2024-06-30') ORDER BY id",
  "SELECT id, geometry FROM layer_features ORDER BY id -- stored",
];

describe("geometries in the result of a query", () => {
  it.each(queries)("are GeoParquet: %s", async (query) => {
    const path = join(folder, "copy.parquet");
    const diagnostics = await reportedDiagnostics((onDiagnostic) =>
      snapshot.writeTo(query, path, "parquet", { onDiagnostic }),
    );
    const { geo, geometries } = await geoOf(path);
    expect(geo).toMatchObject({ primary_column: "geometry", columns: { geometry: { encoding: "WKB" } } });
    expect(geometries).toEqual([point, area, null, null]);
    // In layer_features the column is null already.
    const malformed = query.includes("layer_features") ? [] : [{ code: "geometry-malformed", count: 1 }];
    expect(diagnostics.map(({ code, count }) => ({ code, count }))).toEqual(malformed);
  });

  it("are GeoParquet also if no row has one, and by another name", async () => {
    const path = join(folder, "none.parquet");
    await snapshot.writeTo("SELECT id, geometry FROM TRENCHES WHERE id = 3", path, "parquet");
    expect(await geoOf(path)).toMatchObject({ geo: { primary_column: "geometry" }, geometries: [null] });
    await snapshot.writeTo("SELECT id, geometry AS place, geometry FROM layer_features", path, "parquet");
    expect((await geoOf(path)).geo).toMatchObject({ primary_column: "place", columns: { place: {}, geometry: {} } });
  });

  it.each(queries)("are GeoJSON in CSV and JSON: %s", async (query) => {
    const path = join(folder, "copy.csv");
    await snapshot.writeTo(query, path, "csv");
    const csv = await snapshot.sql(`SELECT geometry FROM read_csv('${path}', all_varchar = true) ORDER BY id`);
    const whole = query.includes("layer_features") ? [point, area, null] : [point, area, null, broken];
    const texts = Array.from(
      csv.array("geometry"),
      (text) => (text === null ? null : JSON.parse(String(text))) as unknown,
    );
    expect(texts.slice(0, whole.length)).toEqual(whole);
    await snapshot.writeTo(query, path, "json");
    const rows = JSON.parse(readFileSync(path, "utf8")) as { geometry: string | null }[];
    const parsed = rows.map(({ geometry }) => (geometry === null ? null : (JSON.parse(geometry) as unknown)));
    expect(parsed.slice(0, whole.length)).toEqual(whole);
  });
});
