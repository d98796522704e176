import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import type { ResourceName } from "../../api/resources.js";
import { REMOVE_FOLDER } from "../../core/busy-files.js";
import { SnapshotError } from "../../core/errors.js";
import { withDuckDB } from "../database/open-duckdb.js";
import { diskError, memoryError } from "../folder/target-folder.js";
import { hasShrunk, type LockedFolder, writeLocked } from "../folder/write-locked.js";
import {
  MANIFEST_FORMAT,
  MANIFEST_VERSION,
  type Manifest,
  rowCounts,
  type SnapshotFile,
  type SnapshotOrigin,
} from "../format/manifest.js";
import { unfinishedPath } from "../format/snapshot-paths.js";
import { schemaOf, type TableSchema, tableSchemas } from "../format/table-schema.js";
import { type BadRecord, badRecordError, encodeRecord, type RecordInput } from "./encode-record.js";
import { joinLog, logParts } from "./join-parts.js";
import { RowAppender, type StagedRecord, stagingColumns, Unreadable } from "./row-appender.js";
import { rowBatches, writePart } from "./write-part.js";

/** Records of a resource: objects, or the API's JSON texts. */
type RecordStream = Iterable<RecordInput> | AsyncIterable<RecordInput>;

/** Records by resource. Default of each resource: none. */
export type SnapshotTables = Readonly<Partial<Record<ResourceName, RecordStream>>>;

/**
 * Writes records as a snapshot folder. Records are read once, in sequence, with constant memory. An existing snapshot
 * becomes an earlier generation of the folder after the new one is complete.
 *
 * @param path of the folder, which is created if missing
 * @throws SnapshotError if a record violates the contract or an id is repeated (with its position), or if the folder
 * has foreign content or is being written by another process
 */
export async function writeSnapshot(
  path: string,
  tables: SnapshotTables,
  options: WriteOptions = {},
): Promise<Manifest> {
  const staged = new Map<ResourceName, StagedTable>();
  for (const { resource, name } of tableSchemas) {
    staged.set(resource, { folder: name, records: numbered(tables[resource] ?? []) });
  }
  return writeStagedTables(path, staged, options);
}

async function* numbered(records: RecordStream): AsyncGenerator<StagedRecord, void, undefined> {
  let line = 0;
  for await (const record of records) yield { line: ++line, record };
}

const FLUSH_ROWS = 16_384;

/** A resource's records with their positions, for staging. */
export interface StagedTable {
  /** The source file, for messages. */
  readonly folder: string;
  readonly records: AsyncIterable<StagedRecord> | Iterable<StagedRecord>;
}

/** Memory for sorting whole records; larger data uses the disk. */
const MEMORY_MB = 128;

/** Writes records with positions. */
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
    const large = memoryError(error, root, `the ${MEMORY_MB} MB of memory for sorting`);
    throw diskError(large, root, "try again; the snapshot is unchanged");
  }
}

/**
 * Reads the records of a resource into a table of the staging database, to check them as a whole and sort them with
 * limited memory.
 *
 * @param onBad is called for each skipped record; it may throw
 * @param onRow is called with the count of read records
 */
async function stageRecords(
  connection: DuckDBConnection,
  schema: TableSchema,
  path: string,
  records: AsyncIterable<StagedRecord> | Iterable<StagedRecord>,
  onBad: (bad: BadRecord) => void,
  onRow: (rows: number) => void = () => {},
): Promise<void> {
  const { sql, types } = stagingColumns(schema);
  await connection.run(`CREATE TABLE ${schema.name} (${sql}, line BIGINT)`);
  const appender = await RowAppender.open(connection, schema.name, [...types, "BIGINT"]);
  let rows = 0;
  for await (const { line, record } of records) {
    const row = record instanceof Unreadable ? { problem: record.reason } : encodeRecord(schema, record);
    if ("problem" in row) onBad({ resource: schema.resource, path, line, reason: row.problem });
    else appender.append([...row.values, row.text, BigInt(line)]);
    if (++rows % FLUSH_ROWS === 0) {
      appender.flush();
      onRow(rows);
    }
  }
  appender.close();
  onRow(rows);
  await dropDuplicates(connection, schema, path, onBad);
}

/** Removes staged records with a repeated id: the first record stays. */
async function dropDuplicates(
  connection: DuckDBConnection,
  { name, resource }: TableSchema,
  path: string,
  onBad: (bad: BadRecord) => void,
): Promise<void> {
  await connection.run(
    `CREATE TEMP TABLE repeated AS
     SELECT t.line, f.first, t.id FROM ${name} t
     JOIN (SELECT id, min(line) AS first FROM ${name} GROUP BY id HAVING count(*) > 1) f ON f.id = t.id
     WHERE t.line <> f.first`,
  );
  const repeated = await connection.run("SELECT line::DOUBLE, first::DOUBLE, id::VARCHAR FROM repeated ORDER BY line");
  for (const [line, first, id] of await repeated.getRows()) {
    const reason = `id ${String(id)} repeats line ${String(first)}`;
    onBad({ resource, path, line: Number(line), reason });
  }
  await connection.run(`DELETE FROM ${name} WHERE line IN (SELECT line FROM repeated); DROP TABLE repeated`);
}

async function writeState(
  { root, previous, publish }: LockedFolder,
  tables: ReadonlyMap<ResourceName, StagedTable>,
  options: WriteOptions & { readonly now: () => Date },
): Promise<Manifest> {
  const { now, readAt = now() } = options;
  if (previous?.rewriting || previous?.pseudonyms !== undefined) throw redactedError(root);
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
    if (previous && options.allowShrink === false) refuseShrink(root, previous, manifest);
    await publish(scratch, manifest);
    return manifest;
  } finally {
    await rm(scratch, REMOVE_FOLDER);
  }
}

/** A folder never has persons in one generation and pseudonyms in another. */
function redactedError(root: string): SnapshotError {
  return new SnapshotError(`${root} contains pseudonyms, but these records have person data.`, {
    hint: "Use another folder.",
    facts: { path: root },
  });
}

/** Rejects a large part of the folder's rows missing, such as one file of two. */
function refuseShrink(root: string, previous: Manifest, next: Manifest): void {
  for (const resource of ["layerFeatures", "propertyChanges"] as const) {
    const [before = 0, after = 0] = [rowCounts(previous)[resource], rowCounts(next)[resource]];
    if (!hasShrunk(before - after, before)) continue;
    throw new SnapshotError(`${root} has ${before} rows of ${resource}, but the imported records have ${after}.`, {
      hint: "Nothing was changed. Accept it (allowShrink, --allow-shrink), or use another folder.",
      facts: { path: root, resource, before, after },
    });
  }
}

async function writeFiles(
  scratch: string,
  tables: ReadonlyMap<ResourceName, StagedTable>,
  { onBadRecord = refuse, onProgress = () => {} }: WriteOptions,
): Promise<Pick<Manifest, "files" | "watermarks">> {
  const settings = { memoryMb: MEMORY_MB, threads: 1, spillPath: scratch };
  return withDuckDB(join(scratch, "stage.duckdb"), settings, async (connection) => {
    const files: SnapshotFile[] = [];
    for (const schema of tableSchemas) {
      const { resource, name } = schema;
      const { folder, records } = tables.get(resource) ?? { folder: name, records: [] };
      await stageRecords(connection, schema, folder, records, onBadRecord, (rows) => onProgress({ resource, rows }));
      if (resource === "propertyChanges") {
        files.push(...(await joinLog(connection, scratch, await writeTable(connection, logParts, scratch))));
      } else files.push(...(await writeTable(connection, schema, scratch)));
    }
    return { files, watermarks: await lastIds(connection) };
  });
}

function refuse(bad: BadRecord): never {
  throw badRecordError(bad);
}

async function lastIds(connection: DuckDBConnection): Promise<Manifest["watermarks"]> {
  const result = await connection.run(`SELECT max(id) FROM ${schemaOf("propertyChanges").name}`);
  const [[last] = []] = await result.getRows();
  return typeof last === "string" ? { propertyChanges: last } : {};
}

/**
 * Writes a staged table as Parquet: one file, or parts by site.
 *
 * @param root folder of the snapshot under construction
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
    for (const condition of await rowBatches(connection, schema, source)) {
      const file = await writePart(connection, schema, root, site, condition);
      if (file.rows > 0) files.push(file);
    }
  }
  return files;
}

/** The sites with features, then null, which also gets changes of unknown features. */
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

/** Rows of a resource that were read so far. */
export interface WriteProgress {
  readonly resource: ResourceName;
  readonly rows: number;
}

/** Options of `writeSnapshot()`. */
export interface WriteOptions {
  readonly origin?: SnapshotOrigin;
  /** Filters that limited the read. */
  readonly scope?: Manifest["scope"];
  /** Time when the records were read. Default: now. */
  readonly readAt?: Date;
  readonly now?: () => Date;
  /** Whether to accept much fewer features or changes than in the previous generation. Default: true. */
  readonly allowShrink?: boolean;
  readonly onProgress?: (progress: WriteProgress) => void;
  /** Called for an invalid record, which is then skipped. Without it, such a record is an error. */
  readonly onBadRecord?: (bad: BadRecord) => void;
}
