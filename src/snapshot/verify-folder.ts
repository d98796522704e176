import { join, resolve } from "node:path";
import type { Finding } from "../core/finding.js";
import { literalPath } from "../tables/sql/literal-path.js";
import { sqlText } from "../tables/sql/sql-text.js";
import { Database } from "./database/database.js";
import { readGeneration } from "./folder/read-generation.js";
import { findDamage } from "./folder/verify-files.js";
import { GONE_FEATURES, type Manifest, type SnapshotFile, type StoredFile, storedFiles } from "./format/manifest.js";
import { tableSchemas } from "./format/table-schema.js";

/** What a check of a snapshot found. It is sound if there is neither damage nor a reference that leads nowhere. */
export interface Verification {
  /** The state that was checked. */
  readonly generation: number;
  /** How many files were read. */
  readonly files: number;
  /** Files that are missing, truncated or altered, or hold other rows than the manifest says. */
  readonly damage: readonly Finding[];
  /** Records that refer to others that the snapshot does not hold, or that come twice. */
  readonly references: readonly Finding[];
  /** What is worth knowing and is as the API may well have it: property keys without a definition. */
  readonly notes: readonly Finding[];
}

const SHOWN_KEYS = 3;
const UUID = "'^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'";

const counts: readonly (Pick<Finding, "code" | "message"> & { readonly sql: string })[] = [
  ...tableSchemas.map(({ name }) => ({
    code: "repeated-id" as const,
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
];

const unresolvedKeys = `SELECT lower(key) AS unresolved FROM
  (SELECT unnest(TRY(json_keys(record, '/properties'))) AS key FROM layer_features
   UNION ALL SELECT DISTINCT property_key FROM property_changes)
  WHERE regexp_matches(key, ${UUID}) AND lower(key) NOT IN (SELECT lower(id) FROM property_definitions)
  GROUP BY ALL ORDER BY ALL`;

/** Does the work of `verifySnapshot()`. */
export async function verifyFolder(path: string, generation?: number): Promise<Verification> {
  const root = resolve(path);
  const manifest = await readGeneration(root, generation);
  const files = [...manifest.files, ...(manifest.gone_files ?? [])];
  const damage = (await findDamage(root, storedFiles(manifest))).map(({ file, problem }) => fileFinding(file, problem));
  const { references, notes } =
    damage.length > 0 ? { references: [], notes: [] } : await checkTables(root, manifest, files, damage);
  return { generation: manifest.generation, files: storedFiles(manifest).length, damage, references, notes };
}

async function checkTables(
  root: string,
  manifest: Manifest,
  files: readonly SnapshotFile[],
  damage: Finding[],
): Promise<Pick<Verification, "references" | "notes">> {
  const database = await Database.open(root, manifest);
  try {
    for (const file of files) {
      const [[rows] = []] = await database.rows(
        `SELECT num_rows::DOUBLE FROM parquet_file_metadata(${sqlText(literalPath(join(root, file.path)))})`,
      );
      if (rows !== file.rows) damage.push(fileFinding(file, `holds ${String(rows)} rows instead of ${file.rows}`));
    }
    const references: Finding[] = [];
    for (const { code, message, sql } of counts) {
      const [[value] = []] = await database.rows(sql);
      const count = Number(value);
      if (count > 0) references.push({ code, message: `${count} ${message}.`, count });
    }
    const keys = (await database.rows(unresolvedKeys)).map(([key]) => String(key));
    return { references, notes: keys.length > 0 ? [unresolvedFinding(keys)] : [] };
  } finally {
    database.close();
  }
}

function unresolvedFinding(keys: readonly string[]): Finding {
  const [one, count] = [keys.length === 1, keys.length];
  const shown = [...keys.slice(0, SHOWN_KEYS), ...(count > SHOWN_KEYS ? ["…"] : [])].join(", ");
  const message = `${count} property ${one ? "key has" : "keys have"} no definition in the snapshot; layers show ${one ? "it as it is" : "them as they are"}: ${shown}.`;
  return { code: "unresolved-key", message, count, facts: { property_keys: keys } };
}

function fileFinding({ path }: StoredFile, problem: string): Finding {
  return { code: "damaged-file", message: `${path} ${problem}.`, facts: { path } };
}
