import { randomUUID } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { ResourceName } from "../api/resources.js";
import { type BadRecord, badRecordError } from "./bad-record.js";
import type { RecordInput } from "./encode-record.js";
import {
  MANIFEST_FORMAT,
  MANIFEST_VERSION,
  type Manifest,
  type SnapshotFile,
  type SnapshotOrigin,
} from "./manifest.js";
import { openDuckDB } from "./open-duckdb.js";
import { prepareFolder } from "./prepare-folder.js";
import { saveManifest } from "./save-manifest.js";
import { type StagedRecord, stageRecords } from "./stage.js";
import { schemaOf, tableSchemas } from "./table-schema.js";
import { writeTable } from "./write-table.js";

/** Records of a resource: objects, or JSON texts as the API sent them. */
export type RecordStream = Iterable<RecordInput> | AsyncIterable<RecordInput>;

/** Records by resource. A resource that is left out has none. */
export type SnapshotTables = Readonly<Partial<Record<ResourceName, RecordStream>>>;

/** Rows of a resource that were read so far. */
export interface WriteProgress {
  readonly resource: ResourceName;
  readonly rows: number;
}

/** Options of `writeSnapshot()`. */
export interface WriteOptions {
  readonly origin?: SnapshotOrigin;
  /** The filters that limited what was read. */
  readonly scope?: Manifest["scope"];
  /** When the records were read; now if absent. */
  readonly readAt?: Date;
  readonly now?: () => Date;
  readonly onProgress?: (progress: WriteProgress) => void;
  /** Called for a record that cannot be stored, which is then left out. Without it such a record is an error. */
  readonly onBadRecord?: (bad: BadRecord) => void;
}

/** A resource's records with their places, as they are staged. */
export interface StagedTable {
  /** The file that they come from, for messages. */
  readonly place: string;
  readonly records: AsyncIterable<StagedRecord>;
}

const MEMORY_MB = 1024;

/**
 * Writes records as a snapshot folder. Records are read once, one after the other; memory stays flat. A snapshot that
 * stands there is replaced as a whole, when the new one is complete; its files stay for those who read them.
 *
 * @param path of the folder; it is made if absent
 * @throws SnapshotError if a record breaks the contract or an id comes twice (with its place), or if the folder holds
 * something else
 */
export async function writeSnapshot(
  path: string,
  tables: SnapshotTables,
  options: WriteOptions = {},
): Promise<Manifest> {
  const staged = new Map<ResourceName, StagedTable>();
  for (const { resource, name } of tableSchemas) {
    staged.set(resource, { place: name, records: numbered(tables[resource] ?? []) });
  }
  return writeStagedTables(path, staged, options);
}

/** Writes records that know their places. */
export async function writeStagedTables(
  path: string,
  tables: ReadonlyMap<ResourceName, StagedTable>,
  options: WriteOptions,
): Promise<Manifest> {
  const { now = () => new Date(), readAt = now() } = options;
  const root = resolve(path);
  const previous = await prepareFolder(root);
  const scratch = join(root, `.writing-${randomUUID()}`);
  await mkdir(scratch);
  try {
    const { files, watermarks } = await writeFiles(root, scratch, tables, options);
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
    await saveManifest(root, manifest);
    return manifest;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function writeFiles(
  root: string,
  scratch: string,
  tables: ReadonlyMap<ResourceName, StagedTable>,
  options: WriteOptions,
): Promise<Pick<Manifest, "files" | "watermarks">> {
  const {
    onBadRecord = (bad) => {
      throw badRecordError(bad);
    },
  } = options;
  const instance = await openDuckDB(join(scratch, "stage.duckdb"), { memoryMb: MEMORY_MB, spillPath: scratch });
  try {
    const connection = await instance.connect();
    const files: SnapshotFile[] = [];
    for (const schema of tableSchemas) {
      const { resource, name } = schema;
      const { place, records } = tables.get(resource) ?? { place: name, records: numbered([]) };
      await stageRecords(connection, schema, place, records, onBadRecord, (rows) =>
        options.onProgress?.({ resource, rows }),
      );
      files.push(...(await writeTable(connection, schema, { root, scratch })));
    }
    return { files, watermarks: await lastIds(connection) };
  } finally {
    instance.closeSync();
  }
}

async function lastIds(connection: DuckDBConnection): Promise<Manifest["watermarks"]> {
  const result = await connection.run(`SELECT max(id) FROM ${schemaOf("propertyChanges").name}`);
  const [[last] = []] = await result.getRows();
  return typeof last === "string" ? { propertyChanges: last } : {};
}

async function* numbered(records: RecordStream): AsyncGenerator<StagedRecord, void, undefined> {
  let line = 0;
  for await (const record of records) yield { line: ++line, record };
}
