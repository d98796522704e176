import { join, resolve } from "node:path";
import { type Diagnostic, withSeverity } from "../core/diagnostic.js";
import { literalPath, sqlText } from "../tables/sql/sql-text.js";
import { Database } from "./database/database.js";
import { readGeneration } from "./folder/manifest-file.js";
import { findDamage } from "./folder/verify-files.js";
import { GONE_FEATURES, type Manifest, type SnapshotFile, type StoredFile, storedFiles } from "./format/manifest.js";
import { tableSchemas } from "./format/table-schema.js";

/** Result of checking a snapshot. It is sound if there is neither damage nor an unresolved reference. */
export interface Verification {
  /** The checked generation. */
  readonly generation: number;
  /** Count of files that were read. */
  readonly files: number;
  /** Files that are missing, truncated or altered, or whose row count differs from the manifest. */
  readonly damage: readonly Diagnostic[];
  /** Records that refer to missing records, and records with repeated ids. */
  readonly references: readonly Diagnostic[];
  /** Remarks that the API may cause: property keys without a definition. */
  readonly notes: readonly Diagnostic[];
}

const SHOWN_KEYS = 3;
const UUID = "'^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'";

const counts: readonly (Pick<Diagnostic, "code" | "message"> & { readonly sql: string })[] = [
  ...tableSchemas.map(({ name }) => ({
    code: "id-repeated" as const,
    message: `records of ${name} repeat an id`,
    sql: `SELECT count(*) - count(DISTINCT id) FROM ${name}`,
  })),
  {
    code: "feature-without-dataset",
    message: "layer features refer to a dataset that is missing in the snapshot",
    sql: "SELECT count(*) FROM layer_features WHERE dataset_id NOT IN (SELECT id FROM datasets)",
  },
  {
    code: "change-without-feature",
    message: "changes refer to a layer feature that is missing in the snapshot",
    sql: `SELECT count(*) FROM property_changes WHERE layer_feature_id NOT IN
      (SELECT id FROM layer_features UNION ALL SELECT id FROM ${GONE_FEATURES})`,
  },
];

const unresolvedKeys = `SELECT lower(key) AS unresolved FROM
  (SELECT unnest(TRY(json_keys(record, '/properties'))) AS key FROM layer_features
   UNION ALL SELECT DISTINCT property_key FROM property_changes)
  WHERE regexp_matches(key, ${UUID}) AND lower(key) NOT IN (SELECT lower(id) FROM property_definitions)
  GROUP BY ALL ORDER BY ALL`;

/** Implementation of `verifySnapshot()`. */
export async function verifyFolder(path: string, generation?: number): Promise<Verification> {
  const root = resolve(path);
  const manifest = await readGeneration(root, generation);
  const files = [...manifest.files, ...(manifest.gone_files ?? [])];
  const damage = (await findDamage(root, storedFiles(manifest))).map(({ file, problem }) =>
    fileDiagnostic(file, problem),
  );
  const { references, notes } =
    damage.length > 0 ? { references: [], notes: [] } : await checkTables(root, manifest, files, damage);
  return { generation: manifest.generation, files: storedFiles(manifest).length, damage, references, notes };
}

async function checkTables(
  root: string,
  manifest: Manifest,
  files: readonly SnapshotFile[],
  damage: Diagnostic[],
): Promise<Pick<Verification, "references" | "notes">> {
  const database = await Database.open(root, manifest);
  try {
    for (const file of files) {
      const [[rows] = []] = await database.rows(
        `SELECT num_rows::DOUBLE FROM parquet_file_metadata(${sqlText(literalPath(join(root, file.path)))})`,
      );
      if (rows !== file.rows) damage.push(fileDiagnostic(file, `has ${String(rows)} rows instead of ${file.rows}`));
    }
    const references: Diagnostic[] = [];
    for (const { code, message, sql } of counts) {
      const [[value] = []] = await database.rows(sql);
      const count = Number(value);
      if (count > 0) references.push(withSeverity({ code, message: `${count} ${message}.`, count }));
    }
    const keys = (await database.rows(unresolvedKeys)).map(([key]) => String(key));
    return { references, notes: keys.length > 0 ? [unresolvedDiagnostic(keys)] : [] };
  } finally {
    database.close();
  }
}

function unresolvedDiagnostic(keys: readonly string[]): Diagnostic {
  const [one, count] = [keys.length === 1, keys.length];
  const list = [...keys.slice(0, SHOWN_KEYS), ...(count > SHOWN_KEYS ? ["…"] : [])].join(", ");
  const message = `${count} property ${one ? "key has" : "keys have"} no definition in the snapshot. Layers show the raw ${one ? "key" : "keys"}: ${list}.`;
  return withSeverity({ code: "key-unresolved", message, count, facts: { property_keys: keys } });
}

function fileDiagnostic({ path }: StoredFile, problem: string): Diagnostic {
  return withSeverity({ code: "file-damaged", message: `${path} ${problem}.`, facts: { path } });
}
