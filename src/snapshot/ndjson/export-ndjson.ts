import { open } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBDataChunk } from "@duckdb/node-api";
import type { ResourceName } from "../../api/resources.js";
import { removeFile, renamePath } from "../../core/busy-files.js";
import { Database } from "../database/database.js";
import { diskError } from "../folder/disk-error.js";
import { readGeneration } from "../folder/manifest-file.js";
import { makeTargetFolder } from "../folder/target-folder.js";
import { checkHashes, checkSizes } from "../folder/verify-files.js";
import { type TableSchema, tableSchemas } from "../format/table-schema.js";
import type { WriteProgress } from "../write/write-snapshot.js";

/** Options of `exportNdjson()`. */
export interface ExportOptions {
  readonly onProgress?: (progress: WriteProgress) => void;
}

/**
 * Writes the records of a snapshot as NDJSON, one per line in the order of their ids, exactly as stored.
 *
 * @param path of the snapshot
 * @param dir folder for the seven files; files of the same name are replaced
 * @returns line counts by resource
 * @throws SnapshotError if the snapshot is damaged or the folder cannot be written
 */
export async function exportNdjson(
  path: string,
  dir: string,
  options: ExportOptions = {},
): Promise<Readonly<Record<ResourceName, number>>> {
  const manifest = await readGeneration(path);
  await checkSizes(path, manifest);
  await checkHashes(path, manifest.files);
  const database = await Database.open(path, manifest);
  try {
    await makeTargetFolder(dir);
    const counts: Partial<Record<ResourceName, number>> = {};
    for (const schema of tableSchemas) counts[schema.resource] = await exportTable(database, schema, dir, options);
    return counts as Record<ResourceName, number>;
  } catch (error) {
    throw diskError(error, dir, "export again");
  } finally {
    database.close();
  }
}

async function exportTable(
  database: Database,
  schema: TableSchema,
  dir: string,
  options: ExportOptions,
): Promise<number> {
  const file = join(dir, `${schema.name}.ndjson`);
  const unfinished = `${file}.part`;
  let rows = 0;
  try {
    await using output = await open(unfinished, "w");
    for await (const chunk of database.chunks(
      `SELECT encode(record || chr(10)) FROM main.${schema.name} ORDER BY id`,
    )) {
      await output.writeFile(chunkBytes(chunk));
      rows += chunk.rowCount;
      options.onProgress?.({ resource: schema.resource, rows });
    }
  } catch (error) {
    await removeFile(unfinished);
    throw error;
  }
  await renamePath(unfinished, file);
  return rows;
}

function chunkBytes(chunk: DuckDBDataChunk): Buffer {
  const lines = chunk.getColumnValues(0).map((value) => (value as { readonly bytes: Uint8Array }).bytes);
  return Buffer.concat(lines);
}
