import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { ResourceName } from "../../api/resources.js";
import { openDuckDB } from "../database/open-duckdb.js";
import { diskError, memoryError } from "../folder/disk-error.js";
import { unfinishedPath } from "../folder/unfinished.js";
import { type LockedFolder, writeLocked } from "../folder/write-locked.js";
import { MANIFEST_FORMAT, MANIFEST_VERSION, type Manifest, type SnapshotFile } from "../format/manifest.js";
import { schemaOf, tableSchemas } from "../format/table-schema.js";
import { type BadRecord, badRecordError } from "./bad-record.js";
import { joinLog } from "./join-log.js";
import { logParts } from "./log-parts.js";
import { stageRecords } from "./stage-records.js";
import type { StagedRecord } from "./staged-record.js";
import type { WriteOptions } from "./write-options.js";
import { writeTable } from "./write-table.js";

/** A resource's records with their places, as they are staged. */
export interface StagedTable {
  /** The file that they come from, for messages. */
  readonly place: string;
  readonly records: AsyncIterable<StagedRecord> | Iterable<StagedRecord>;
}

/** What does not fit goes to the disk: records are sorted whole. */
const MEMORY_MB = 128;

/** Writes records that know their places. */
export async function writeStagedTables(
  path: string,
  tables: ReadonlyMap<ResourceName, StagedTable>,
  options: WriteOptions,
): Promise<Manifest> {
  const now = options.now ?? (() => new Date());
  try {
    return await writeLocked(path, now, (folder) => writeState(folder, tables, { ...options, now }));
  } catch (error) {
    const root = resolve(path);
    const large = memoryError(error, root, `they are sorted in ${MEMORY_MB} MB of memory`);
    throw diskError(large, root, "write it again: what stood there is untouched");
  }
}

async function writeState(
  { root, previous, publish }: LockedFolder,
  tables: ReadonlyMap<ResourceName, StagedTable>,
  options: WriteOptions & { readonly now: () => Date },
): Promise<Manifest> {
  const { now, readAt = now() } = options;
  const scratch = unfinishedPath(root);
  await mkdir(scratch);
  try {
    const { files, watermarks } = await writeFiles(scratch, tables, options);
    const manifest: Manifest = {
      format: MANIFEST_FORMAT,
      version: MANIFEST_VERSION,
      generation: (previous?.generation ?? 0) + 1,
      origin: options.origin ?? { kind: "memory", name: "records" },
      scope: options.scope ?? {},
      written_at: now().toISOString(),
      read_at: readAt.toISOString(),
      files,
      watermarks,
    };
    await publish(scratch, manifest);
    return manifest;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function writeFiles(
  scratch: string,
  tables: ReadonlyMap<ResourceName, StagedTable>,
  { onBadRecord = refuse, onProgress = () => {} }: WriteOptions,
): Promise<Pick<Manifest, "files" | "watermarks">> {
  const instance = await openDuckDB(join(scratch, "stage.duckdb"), {
    memoryMb: MEMORY_MB,
    threads: 1,
    spillPath: scratch,
  });
  try {
    const connection = await instance.connect();
    const files: SnapshotFile[] = [];
    for (const schema of tableSchemas) {
      const { resource, name } = schema;
      const { place, records } = tables.get(resource) ?? { place: name, records: [] };
      await stageRecords(connection, schema, place, records, onBadRecord, (rows) => onProgress({ resource, rows }));
      if (resource === "propertyChanges") {
        files.push(...(await joinLog(connection, scratch, await writeTable(connection, logParts, scratch))));
      } else files.push(...(await writeTable(connection, schema, scratch)));
    }
    return { files, watermarks: await lastIds(connection) };
  } finally {
    instance.closeSync();
  }
}

function refuse(bad: BadRecord): never {
  throw badRecordError(bad);
}

async function lastIds(connection: DuckDBConnection): Promise<Manifest["watermarks"]> {
  const result = await connection.run(`SELECT max(id) FROM ${schemaOf("propertyChanges").name}`);
  const [[last] = []] = await result.getRows();
  return typeof last === "string" ? { propertyChanges: last } : {};
}
