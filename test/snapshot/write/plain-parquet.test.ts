import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { duckdbJson } from "../../support/duckdb-rows.js";
import { findPython } from "../../support/python.js";
import { feature } from "../feature.js";
import { site } from "../moving-service.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();

const change = (number: number, layer_feature_id: number, new_value: string) =>
  `{"id":"0000000${number}-AAAA-7000-8000-000000000000","layer_feature_id":${layer_feature_id},"property_key":"K","new_value":${new_value},"system":false,"user_id":null,"caused_by_change_id":null,"created_at":"2025-01-01T01:00:00.1234567+01:00"}`;

/** pandas with its own types cannot read a partition without a site (an error of pyarrow's); with Arrow's it can. */
const libraries = [
  { library: "pandas", module: "pandas", hasNullSite: false },
  { library: "pandas_arrow", module: "pandas", hasNullSite: true },
  { library: "polars", module: "polars", hasNullSite: true },
  { library: "pyarrow", module: "pyarrow", hasNullSite: true },
  { library: "pyspark", module: "pyspark", hasNullSite: true },
];

describe.each(libraries)("$library", ({ library, module, hasNullSite }) => {
  const python = findPython(module);
  it.skipIf(!python)("opens the tables of the newest generation, hive partitions and all", async () => {
    const path = join(folder, `${library}.snapshot`);
    const third = hasNullSite ? null : 7;
    await writeSnapshot(path, { sites: [site(7)], layerFeatures: [feature(1, {}, 7), feature(4, {}, 7)] });
    await writeSnapshot(path, {
      sites: [site(7), site(12)],
      layerFeatures: [feature(2, {}, 12), feature(1, { STATUS: "OPEN" }, 7), { ...feature(3, {}), site_id: third }],
      propertyChanges: [change(2, 2, "9007199254740993"), change(1, 3, "null")],
    });
    const script = join(import.meta.dirname, "python", "read_tables.py");
    const options = { env: python?.env, encoding: "utf8", maxBuffer: 1 << 24 } as const;
    const tables = JSON.parse(execFileSync(python?.program ?? "", [script, library, path], options)) as {
      readonly [table: string]: readonly Readonly<Record<string, unknown>>[];
    };
    expect(tables["sites"]?.map(({ id, name }) => [id, name])).toEqual([
      [7, "Site 7"],
      [12, "Site 12"],
    ]);
    expect(tables["layer_features"]).toMatchObject([
      { id: 1, site_id: 7, semantic_type: "TRENCHES", updated_at: "2025-01-01T00:00:00.000000" },
      { id: 2, site_id: 12, semantic_type: "TRENCHES", operation_id: null },
      { id: 3, site_id: third, semantic_type: "TRENCHES" },
    ]);
    const [first] = tables["layer_features"] ?? [];
    expect(first?.["geometry"]).toBe("01010000000000000000002140cdcccccccc8c4740");
    expect(first?.["bbox"]).toEqual({ xmin: 8.5, ymin: 47.1, xmax: 8.5, ymax: 47.1 });
    expect(JSON.parse(String(first?.["record"]))).toMatchObject({ id: 1, properties: { STATUS: "OPEN" } });
    expect(tables["property_changes"]).toMatchObject([
      { layer_feature_id: 3, site_id: third, new_value: null, created_at: "2025-01-01T00:00:00.123456" },
      { layer_feature_id: 2, site_id: 12, new_value: "9007199254740992", created_at: "2025-01-01T00:00:00.123456" },
    ]);
  });
});

describe("the Parquet files", () => {
  it("are read by any reader, with hive partitions and typed columns", async () => {
    const path = join(folder, "plain.snapshot");
    await writeSnapshot(path, {
      layerFeatures: [feature(2, {}, 12), feature(1, { STATUS: "OPEN" }, 7), { ...feature(3, {}), site_id: null }],
      propertyChanges: [change(2, 2, "9007199254740993"), change(1, 3, "null"), change(3, 99, '{"a":1e400}')],
    });

    const features = join(path, "files", "layer_features", "**", "*.parquet");
    expect(
      await duckdbJson(`SELECT id, site_id, semantic_type, record->>'$.properties.STATUS', strlen(record) = record_bytes
        FROM read_parquet('${features}', hive_partitioning = true) ORDER BY id`),
    ).toEqual([
      ["1", "7", "TRENCHES", "OPEN", true],
      ["2", "12", "TRENCHES", null, true],
      ["3", null, "TRENCHES", null, true],
    ]);

    const changes = join(path, "files", "property_changes", "**", "*.parquet");
    expect(
      await duckdbJson(`SELECT left(id, 13), site_id, new_value, epoch_us(created_at)
        FROM read_parquet('${changes}', hive_partitioning = true) ORDER BY ALL`),
    ).toEqual([
      ["00000001-aaaa", null, null, "1735689600123456"],
      ["00000002-aaaa", "12", "9007199254740992", "1735689600123456"],
      ["00000003-aaaa", null, '{"a":1e999}', "1735689600123456"],
    ]);
  });
});
