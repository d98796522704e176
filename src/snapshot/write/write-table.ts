import type { DuckDBConnection } from "@duckdb/node-api";
import type { SnapshotFile } from "../format/manifest.js";
import { schemaOf, type TableSchema } from "../format/table-schema.js";
import { rowStretches } from "./row-stretches.js";
import { writePart } from "./write-part.js";

/**
 * Writes a staged table as Parquet: one file, or parts by site.
 *
 * @param root folder in which the snapshot is being built
 */
export async function writeTable(
  connection: DuckDBConnection,
  schema: TableSchema,
  root: string,
): Promise<readonly SnapshotFile[]> {
  if (!schema.bySite) return [await writePart(connection, schema, root, undefined, "true")];
  const files: SnapshotFile[] = [];
  for (const site of await featureSites(connection)) {
    const rows = schema.resource === "layerFeatures" ? ofSite(site) : ofFeaturesOfSite(site);
    const source = { table: schema.name, condition: rows, recordBytes: "strlen(record)" };
    for (const condition of await rowStretches(connection, schema, source)) {
      const file = await writePart(connection, schema, root, site, condition);
      if (file.rows > 0) files.push(file);
    }
  }
  return files;
}

/** The sites that have features, then null, where changes of unknown features go too. */
async function featureSites(connection: DuckDBConnection): Promise<readonly (number | null)[]> {
  const features = schemaOf("layerFeatures").name;
  const result = await connection.run(
    `SELECT DISTINCT site_id::DOUBLE FROM ${features} WHERE site_id IS NOT NULL ORDER BY ALL`,
  );
  return [...(await result.getRows()).map(([site]) => Number(site)), null];
}

function ofSite(site: number | null): string {
  return site === null ? "site_id IS NULL" : `site_id = ${site}`;
}

function ofFeaturesOfSite(site: number | null): string {
  const features = `SELECT id FROM ${schemaOf("layerFeatures").name} WHERE`;
  return site === null
    ? `layer_feature_id NOT IN (${features} site_id IS NOT NULL)`
    : `layer_feature_id IN (${features} site_id = ${site})`;
}
