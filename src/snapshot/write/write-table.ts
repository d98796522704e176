import type { DuckDBConnection } from "@duckdb/node-api";
import type { SnapshotFile } from "../format/manifest.js";
import { schemaOf, type TableSchema } from "../format/table-schema.js";
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
    for (const condition of await stretches(connection, schema, rows)) {
      const file = await writePart(connection, schema, root, site, condition);
      if (file.rows > 0) files.push(file);
    }
  }
  return files;
}

/**
 * Conditions that select the rows of one part each, in the order of the table: to sort all rows of a site takes more
 * memory than there may be. Parts are about equal, so that none is a small rest. The rows of one feature stay together.
 */
async function stretches(connection: DuckDBConnection, schema: TableSchema, condition: string): Promise<string[]> {
  const [key = "id"] = schema.order;
  // The share of a full part that a row takes, by its number or by its bytes, whichever fills parts sooner.
  const [[inRows, inBytes] = []] = await (
    await connection.run(
      `SELECT count(*) / ${schema.partRows}::DOUBLE, coalesce(sum(strlen(record)), 0) / ${schema.partBytes}::DOUBLE
       FROM ${schema.name} WHERE ${condition}`,
    )
  ).getRows();
  const isByBytes = Number(inBytes) > Number(inRows);
  const full = isByBytes ? Number(inBytes) : Number(inRows);
  const parts = Math.round(full);
  if (parts <= 1) return [condition];
  const share = full / parts;
  const counted = await connection.stream(
    `SELECT ${key}::DOUBLE, (${isByBytes ? `sum(strlen(record)) / ${schema.partBytes}` : `count(*) / ${schema.partRows}`})::DOUBLE
     FROM ${schema.name} WHERE ${condition} GROUP BY ${key} ORDER BY ${key}`,
  );
  const ends: number[] = [];
  let filled = 0;
  for (let chunk = await counted.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await counted.fetchChunk()) {
    for (const [id, taken] of chunk.getRows()) {
      filled += Number(taken);
      // Sums of shares are not exact.
      if (filled < share * (ends.length + 1) - 1e-9) continue;
      ends.push(Number(id));
    }
  }
  // Behind the last end there is nothing.
  return [...ends.slice(0, -1), undefined].map((end, index) => {
    const after = index === 0 ? "" : ` AND ${key} > ${ends[index - 1]}`;
    return `${condition}${after}${end === undefined ? "" : ` AND ${key} <= ${end}`}`;
  });
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
