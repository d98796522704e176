import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBDataChunk } from "@duckdb/node-api";
import type { ResourceName } from "../../api/resources.js";
import { removeFile, renamePath } from "../../core/busy-files.js";
import { SnapshotError } from "../../core/errors.js";
import { Database } from "../database/database.js";
import { readGeneration } from "../folder/manifest-file.js";
import { diskError, makeTargetFolder } from "../folder/target-folder.js";
import { checkHashes, checkSizes } from "../folder/verify-files.js";
import type { Manifest } from "../format/manifest.js";
import { type TableSchema, tableSchemas } from "../format/table-schema.js";
import { type BadRecord, badRecordError } from "../write/encode-record.js";
import { type StagedRecord, Unreadable } from "../write/row-appender.js";
import { type StagedTable, type WriteOptions, type WriteProgress, writeStagedTables } from "../write/write-snapshot.js";

/** A line of a file: its text without the line end, or the reason why it is invalid. Lines are counted from 1. */
type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly text?: undefined; readonly problem: string };

const NEWLINE = 10;
const CHUNK_BYTES = 1 << 20;
const BYTE_ORDER_MARK = "\ufeff";

/** Options of `importNdjson()`. */
interface ImportOptions extends Pick<WriteOptions, "onProgress" | "now"> {
  /** Whether invalid lines are skipped and reported. Default: false, so the first is an error. */
  readonly skipBad?: boolean;
  /** Whether to accept much fewer features or changes than in the previous generation. Default: false. */
  readonly allowShrink?: boolean;
}

/** Result of an import. */
interface ImportResult {
  readonly manifest: Manifest;
  /** The skipped lines, in order of file and line. */
  readonly skipped: readonly BadRecord[];
}

/**
 * Makes a snapshot from a folder of NDJSON files, one API record per line: `sites.ndjson`, `operations.ndjson`,
 * `blocks.ndjson`, `datasets.ndjson`, `layer_features.ndjson`, `property_definitions.ndjson`,
 * `property_changes.ndjson`. A missing file has no records; empty lines are skipped. Lines of datasets may contain
 * `type`, `created_at` and `updated_at`.
 *
 * @param dir folder with the files
 * @param path of the snapshot
 * @throws SnapshotError with file, line and reason for a line that is not a record of its resource, repeats an id, has
 * more than 8 MiB or is nested too deeply; also if the folder has none of the files
 */
export async function importNdjson(dir: string, path: string, options: ImportOptions = {}): Promise<ImportResult> {
  const { skipBad = false, allowShrink = false, ...rest } = options;
  const tables = await findTables(dir);
  const skipped: BadRecord[] = [];
  const manifest = await writeStagedTables(path, tables, {
    ...rest,
    allowShrink,
    origin: { kind: "import", name: dir },
    onBadRecord: (bad) => {
      if (!skipBad) throw badRecordError(bad);
      skipped.push(bad);
    },
  });
  return { manifest, skipped };
}

/**
 * Returns the lines of a file. Lines end only with `\n` or `\r\n`: JSON text may contain U+2028, which `node:readline`
 * treats as a line end.
 *
 * @param mostBytes of a line; further bytes are skipped and not stored
 */
async function* readLines(path: string, mostBytes: number): AsyncGenerator<Line, void, undefined> {
  let rest: Buffer[] = [];
  let bytes = 0;
  let number = 0;
  const add = (part: Buffer) => {
    bytes += part.length;
    if (bytes <= mostBytes) rest.push(part);
    else rest = [];
  };
  const take = (): Line => {
    const [content, length] = [Buffer.concat(rest), bytes];
    rest = [];
    bytes = 0;
    number += 1;
    if (length > mostBytes) {
      return { number, problem: `has ${length} bytes; the maximum is ${mostBytes}` };
    }
    const text = decode(content, number);
    return text === undefined ? { number, problem: "is not valid UTF-8" } : { number, text };
  };
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      start = end + 1;
      yield take();
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (bytes > 0) yield take();
}

function decode(content: Buffer, number: number): string | undefined {
  if (!isUtf8(content)) return undefined;
  const text = content.toString("utf8");
  return number === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** Maximum bytes of a record: several must fit into the memory for sorting at once. */
const MOST_BYTES = 8 << 20;

async function findTables(dir: string): Promise<Map<ResourceName, StagedTable>> {
  const tables = new Map<ResourceName, StagedTable>();
  for (const { resource, name } of tableSchemas) {
    const file = join(dir, `${name}.ndjson`);
    const stats = await stat(file).catch(() => undefined);
    if (stats?.isFile()) tables.set(resource, { folder: file, records: readRecords(file) });
  }
  if (tables.size > 0) return tables;
  throw new SnapshotError(`${dir} has no NDJSON files of a snapshot.`, {
    hint: `Expected files: ${tableSchemas.map(({ name }) => `${name}.ndjson`).join(", ")}.`,
    facts: { path: dir },
  });
}

async function* readRecords(file: string): AsyncGenerator<StagedRecord, void, undefined> {
  for await (const line of readLines(file, MOST_BYTES)) {
    if (line.text === undefined) yield { line: line.number, record: new Unreadable(line.problem) };
    else if (line.text.trim() !== "") yield { line: line.number, record: line.text };
  }
}

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
