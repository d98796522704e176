import { createHash } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Manifest, SnapshotFile } from "../../src/snapshot/format/manifest.js";
import { formatManifest, parseManifest } from "../../src/snapshot/format/manifest-text.js";
import { sqlText } from "../../src/tables/sql/sql-text.js";

/** What an older version had in the columns of a table that are others now. */
type OlderColumns = Readonly<Record<string, string>>;

/** Keys and values of changes as they came, no values of features, no geometries. */
const version2: OlderColumns = {
  layerFeatures: "* EXCLUDE (properties, geometry, bbox)",
  propertyChanges: `* REPLACE (
    record->>'property_key' AS property_key,
    nullif((record->'new_value')::VARCHAR, 'null') AS new_value)`,
};

/** No geometries. */
const version3: OlderColumns = { layerFeatures: "* EXCLUDE (geometry, bbox)" };

/** Makes a snapshot's present state one that a Siteframe of format version 2 could have written. */
export function makeVersion2(root: string): Promise<void> {
  return makeOlder(root, 2, version2);
}

/** Makes a snapshot's present state one that a Siteframe of format version 3 could have written. */
export function makeVersion3(root: string): Promise<void> {
  return makeOlder(root, 3, version3);
}

async function makeOlder(root: string, version: 2 | 3, columns: OlderColumns): Promise<void> {
  const place = join(root, "manifest.json");
  const manifest = parseManifest(readFileSync(place, "utf8"), place);
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const older = async (files: readonly SnapshotFile[]) => {
    const written: SnapshotFile[] = [];
    for (const file of files) {
      const select = columns[file.resource];
      if (!select) {
        written.push(file);
        continue;
      }
      const [from, to] = [join(root, file.path), join(root, "older.parquet")];
      const compression = file.resource === "layerFeatures" ? "uncompressed" : "zstd";
      await connection.run(
        `COPY (SELECT ${select} FROM read_parquet(${sqlText(from)}, hive_partitioning = false)) TO ${sqlText(to)}
         (FORMAT parquet, COMPRESSION ${compression}, ROW_GROUP_SIZE 4096)`,
      );
      const content = readFileSync(to);
      const sha256 = createHash("sha256").update(content).digest("hex");
      const path = file.path.replace(/part-\w+/, `part-${sha256.slice(0, 16)}`);
      rmSync(from);
      renameSync(to, join(root, path));
      written.push({ ...file, path, bytes: content.length, sha256 });
    }
    return written;
  };
  const files = await older(manifest.files);
  const gone_files = await older(manifest.gone_files ?? []);
  instance.closeSync();
  const made: Manifest = { ...manifest, version, files, ...(manifest.gone_files && { gone_files }) };
  writeFileSync(place, formatManifest(made));
}
