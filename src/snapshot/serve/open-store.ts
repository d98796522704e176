import type { Endpoint } from "../../api/endpoints.js";
import type { ParsedQuery } from "../../api/parse-query.js";
import type { ResourceName } from "../../api/resources.js";
import { Database } from "../database/database.js";
import { orderBy } from "../database/order-by.js";
import { whereFilters } from "../database/where.js";
import { readGeneration } from "../folder/read-generation.js";
import { checkHashes, checkSizes } from "../folder/verify-files.js";
import { contentVersion, type Manifest } from "../format/manifest.js";
import { schemaOf } from "../format/table-schema.js";
import { whereVisible } from "./access-condition.js";
import { FeatureTable } from "./feature-table.js";
import { offsetOf, readPage } from "./read-page.js";
import { RecordReader } from "./record-reader.js";
import { createServedTables, servedTable } from "./served-tables.js";
import type { Access, SnapshotStore, StoredPage } from "./snapshot-store.js";

/**
 * Opens a snapshot folder to answer the queries of the read API.
 *
 * @throws SnapshotError naming the file, before anything is served, if a file is missing, truncated or altered, the
 * format version is unknown or the folder is no snapshot
 */
export async function openStore(path: string): Promise<FolderStore> {
  const manifest = await readGeneration(path);
  await checkSizes(path, manifest);
  const [checked, loaded] = await Promise.allSettled([checkHashes(path, manifest.files), loadStore(path, manifest)]);
  if (checked.status === "rejected") {
    if (loaded.status === "fulfilled") await loaded.value.close();
    throw checked.reason;
  }
  if (loaded.status === "rejected") throw loaded.reason;
  return loaded.value;
}

async function loadStore(path: string, manifest: Manifest): Promise<FolderStore> {
  const database = await Database.open(path, manifest);
  try {
    await createServedTables(database);
    const files = manifest.files.filter(({ resource }) => resource === "layerFeatures");
    const features = await FeatureTable.load(
      database,
      files.reduce((sum, { rows }) => sum + rows, 0),
    );
    const records = await RecordReader.open(database, path, files, features.lengths);
    return new FolderStore(manifest, database, features, records);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A state of a snapshot folder that is open to be served. */
export class FolderStore implements SnapshotStore {
  readonly version: string;
  readonly generation: number;
  readonly #database: Database;
  readonly #features: FeatureTable;
  readonly #records: RecordReader;

  constructor(manifest: Manifest, database: Database, features: FeatureTable, records: RecordReader) {
    this.version = contentVersion(manifest);
    this.generation = manifest.generation;
    this.#database = database;
    this.#features = features;
    this.#records = records;
  }

  page({ resource }: Endpoint, query: ParsedQuery, access: Access, signal?: AbortSignal): Promise<StoredPage> {
    if (resource === "layerFeatures") return this.#featurePage(query, access, signal);
    return this.#tablePage(resource, query, access, signal);
  }

  async close(): Promise<void> {
    this.#records.close();
    this.#database.close();
  }

  async #featurePage(query: ParsedQuery, access: Access, signal?: AbortSignal): Promise<StoredPage> {
    const rows = await this.#features.select(query, access, signal);
    signal?.throwIfAborted();
    const offset = offsetOf(query.page, query.pageSize);
    return { ...this.#records.read(rows.subarray(offset, offset + query.pageSize)), rowCount: rows.length };
  }

  async #tablePage(
    resource: ResourceName,
    query: ParsedQuery,
    access: Access,
    signal?: AbortSignal,
  ): Promise<StoredPage> {
    const schema = schemaOf(resource);
    const filters = whereFilters(query.filters);
    const where = { ...filters, sql: `${filters.sql} AND ${whereVisible(resource, access)}` };
    const rows = { table: servedTable(resource), where, order: orderBy(schema, query.sort) };
    return readPage(this.#database, rows, query, signal);
  }
}
