import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { locateFiles } from "../folder/locate-files.js";
import { GONE_FEATURES, type Manifest, type SnapshotFile } from "../format/manifest.js";
import { sqlList } from "../format/sql-text.js";
import { tableSchemas } from "../format/table-schema.js";

/** The two states of a folder that are compared. */
export interface ComparedManifests {
  readonly root: string;
  readonly from: Manifest;
  readonly to: Manifest;
}

/**
 * Makes views of what the two states do not share: `from_…` and `to_…` for each table. Files never change, so a file of
 * both states holds no difference. `from_gone` and `to_gone` are all features that were gone then.
 */
export async function createStateTables(connection: DuckDBConnection, compared: ComparedManifests): Promise<void> {
  const { root } = compared;
  const [from, to] = [locateFiles(root, compared.from), locateFiles(root, compared.to)];
  for (const [side, state, other] of [
    ["from", from, to],
    ["to", to, from],
  ] as const) {
    const shared = new Set(other.files.map(keyOf));
    for (const { resource, name, bySite } of tableSchemas) {
      const own = state.files.filter((file) => file.resource === resource && !shared.has(keyOf(file)));
      await connection.run(viewSql(`${side}_${name}`, root, own, bySite));
    }
    await connection.run(viewSql(`${side}_${GONE_FEATURES}`, root, state.gone_files ?? [], true));
  }
}

/** The site is a part of the path, and of every row. */
function keyOf({ resource, site_id, sha256 }: SnapshotFile): string {
  return `${resource} ${site_id} ${sha256}`;
}

function viewSql(name: string, root: string, files: readonly SnapshotFile[], bySite: boolean): string {
  const create = `CREATE OR REPLACE TEMP VIEW ${name} AS`;
  if (files.length === 0) {
    return `${create} SELECT NULL AS id, NULL::VARCHAR AS visible_id, NULL::VARCHAR AS record,
      NULL::TIMESTAMPTZ AS created_at, NULL::TIMESTAMPTZ AS gone_at, NULL::BIGINT AS site_id, NULL::BIGINT AS layer_feature_id WHERE false`;
  }
  const hive = bySite ? "hive_partitioning = true, hive_types = {'site_id': BIGINT}" : "hive_partitioning = false";
  return `${create} FROM read_parquet(${sqlList(files.map(({ path }) => join(root, path)))}, ${hive}, union_by_name = true)`;
}
