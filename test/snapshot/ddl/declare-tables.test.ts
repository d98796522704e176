import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { declareTables } from "../../../src/snapshot/ddl/declare-tables.js";
import type { Manifest } from "../../../src/snapshot/format/manifest.js";
import { tableSchemas } from "../../../src/snapshot/format/table-schema.js";
import { writeSnapshot } from "../../../src/snapshot/write/write-snapshot.js";
import { mockRecord } from "../../client/mock-records.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();
const options = { location: "s3://bucket/acme.snapshot/generations/000001/", schema: 'a"b', catalog: "hive" };
let manifest: Manifest;

beforeAll(async () => {
  manifest = await writeSnapshot(join(folder, "declared"), {
    sites: [mockRecord("sites", 1)],
    layerFeatures: [mockRecord("layerFeatures", 1)],
  });
});

const statementsOf = (engine: "trino" | "spark", table: string) =>
  declareTables(manifest, engine, options).filter((statement) => statement.includes(table));

describe("the declarations of a snapshot", () => {
  it.each(["trino", "spark"] as const)("name every table with its columns: %s", (engine) => {
    for (const { name, columns } of tableSchemas) {
      const created = statementsOf(engine, name).find((statement) => statement.startsWith("CREATE TABLE"));
      for (const column of [...columns.map((column) => column.name), "record"]) expect(created).toContain(column);
    }
  });

  it("have instants as microseconds, the site as a partition, and quoted names for Trino", () => {
    const [dropped, created, synced] = statementsOf("trino", "layer_features");
    expect(dropped).toBe('DROP TABLE IF EXISTS "hive"."a""b"."layer_features"');
    expect(created).toContain('"created_at" bigint,');
    expect(created).toContain('"properties" map(varchar, varchar),');
    expect(created).toContain(
      '"geometry" varbinary,\n  "bbox" row(xmin double, ymin double, xmax double, ymax double),',
    );
    expect(created).toMatch(/record varchar,\n {2}site_id bigint\n\) WITH \(format = 'PARQUET', /);
    expect(created).toContain("external_location = 's3://bucket/acme.snapshot/generations/000001/layer_features'");
    expect(created).toContain("partitioned_by = ARRAY['site_id']");
    expect(synced).toBe(`CALL "hive".system.sync_partition_metadata('a"b', 'layer_features', 'FULL')`);
  });

  it("have types of Spark, and let Spark find the partitions", () => {
    const [dropped, created, recovered] = statementsOf("spark", "layer_features");
    expect(dropped).toBe('DROP TABLE IF EXISTS `a"b`.`layer_features`');
    expect(created).toContain("`created_at` TIMESTAMP,");
    expect(created).toContain("`properties` MAP<STRING, STRING>,");
    expect(created).toContain(
      "`geometry` BINARY,\n  `bbox` STRUCT<xmin: DOUBLE, ymin: DOUBLE, xmax: DOUBLE, ymax: DOUBLE>,",
    );
    expect(created).toContain(
      "site_id BIGINT\n) USING parquet\nOPTIONS (datetimeRebaseMode 'CORRECTED')\nPARTITIONED BY (site_id)\n",
    );
    expect(created).toContain("LOCATION 's3://bucket/");
    expect(recovered).toBe('ALTER TABLE `a"b`.`layer_features` RECOVER PARTITIONS');
  });

  it("have no location for a table without files", () => {
    expect(statementsOf("trino", "property_changes").join()).not.toContain("external_location");
    expect(statementsOf("spark", "property_changes").join()).not.toContain("LOCATION");
  });
});
