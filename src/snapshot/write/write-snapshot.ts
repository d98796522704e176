import type { ResourceName } from "../../api/resources.js";
import type { Manifest } from "../format/manifest.js";
import { tableSchemas } from "../format/table-schema.js";
import type { RecordInput } from "./encode-record.js";
import type { StagedRecord } from "./row-appender.js";
import type { WriteOptions } from "./write-options.js";
import { type StagedTable, writeStagedTables } from "./write-staged-tables.js";

/** Records of a resource: objects, or JSON texts as the API sent them. */
type RecordStream = Iterable<RecordInput> | AsyncIterable<RecordInput>;

/** Records by resource. A resource that is left out has none. */
export type SnapshotTables = Readonly<Partial<Record<ResourceName, RecordStream>>>;

/**
 * Writes records as a snapshot folder. Records are read once, one after the other; memory stays flat. A snapshot that
 * stands there becomes an earlier state of the folder, when the new one is complete.
 *
 * @param path of the folder; it is made if absent
 * @throws SnapshotError if a record breaks the contract or an id comes twice (with its place), or if the folder holds
 * something else or is being written by another process
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

async function* numbered(records: RecordStream): AsyncGenerator<StagedRecord, void, undefined> {
  let line = 0;
  for await (const record of records) yield { line: ++line, record };
}
