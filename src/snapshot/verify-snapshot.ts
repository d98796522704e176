import { join, resolve } from "node:path";
import type { Finding } from "../core/finding.js";
import { Database } from "./database/database.js";
import { readGeneration } from "./folder/read-generation.js";
import { findDamage } from "./folder/verify-files.js";
import { GONE_FEATURES, type Manifest, type SnapshotFile, type StoredFile, storedFiles } from "./format/manifest.js";
import { sqlText } from "./format/sql-text.js";
import { tableSchemas } from "./format/table-schema.js";

/** What a check of a snapshot found. */
export interface Verification {
  readonly generation: number;
  readonly files: number;
  /** Files that are missing, truncated or altered, or hold other rows than the manifest says. */
  readonly damage: readonly Finding[];
  /** Records that refer to others that the snapshot does not hold, or that come twice. */
  readonly references: readonly Finding[];
}

const UUID = "'^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'";

const counts: readonly { readonly code: string; readonly message: string; readonly sql: string }[] = [
  ...tableSchemas.map(({ name }) => ({
    code: "repeated-id",
    message: `records of ${name} have an id that came before`,
    sql: `SELECT count(*) - count(DISTINCT id) FROM ${name}`,
  })),
  {
    code: "feature-without-dataset",
    message: "layer features belong to a dataset that the snapshot does not hold",
    sql: "SELECT count(*) FROM layer_features WHERE dataset_id NOT IN (SELECT id FROM datasets)",
  },
  {
    code: "change-without-feature",
    message: "changes belong to a layer feature that the snapshot does not hold",
    sql: `SELECT count(*) FROM property_changes WHERE layer_feature_id NOT IN
      (SELECT id FROM layer_features UNION ALL SELECT id FROM ${GONE_FEATURES})`,
  },
  {
    code: "unresolved-key",
    message: "property keys of features or changes have no definition in the snapshot",
    sql: `SELECT count(DISTINCT lower(key)) FROM
      (SELECT unnest(TRY(json_keys(record, '/properties'))) AS key FROM layer_features
       UNION ALL SELECT DISTINCT property_key FROM property_changes)
      WHERE regexp_matches(key, ${UUID}) AND lower(key) NOT IN (SELECT lower(id) FROM property_definitions)`,
  },
];

/**
 * Checks every file of a snapshot against its manifest, and the references between its records.
 *
 * @throws SnapshotError if the folder is no snapshot or its manifest was altered
 */
export async function verifySnapshot(path: string, generation?: number): Promise<Verification> {
  const root = resolve(path);
  const manifest = await readGeneration(root, generation);
  const files = [...manifest.files, ...(manifest.gone_files ?? [])];
  const damage = (await findDamage(root, storedFiles(manifest))).map(({ file, problem }) => fileFinding(file, problem));
  const references = damage.length > 0 ? [] : await checkTables(root, manifest, files, damage);
  return { generation: manifest.generation, files: storedFiles(manifest).length, damage, references };
}

async function checkTables(
  root: string,
  manifest: Manifest,
  files: readonly SnapshotFile[],
  damage: Finding[],
): Promise<Finding[]> {
  const database = await Database.open(root, manifest);
  try {
    for (const file of files) {
      const [[rows] = []] = await database.rows(
        `SELECT num_rows::DOUBLE FROM parquet_file_metadata(${sqlText(join(root, file.path))})`,
      );
      if (rows !== file.rows) damage.push(fileFinding(file, `holds ${String(rows)} rows instead of ${file.rows}`));
    }
    const findings: Finding[] = [];
    for (const { code, message, sql } of counts) {
      const [[value] = []] = await database.rows(sql);
      const count = Number(value);
      if (count > 0) findings.push({ code, message: `${count} ${message}.`, count });
    }
    return findings;
  } finally {
    database.close();
  }
}

function fileFinding({ path }: StoredFile, problem: string): Finding {
  return { code: "damaged-file", message: `${path} ${problem}.`, facts: { path } };
}
