import type { DuckDBConnection } from "@duckdb/node-api";
import { LARGEST_PAGE, type Page, type Resource } from "../api/contract.js";
import { type FilterValue, type ResolvedFilters, selectsNothing } from "../api/filters.js";
import { type LayerFeature, type Records, type ResourceName, resources } from "../api/resources.js";
import type { SqlPart } from "../api/select-records.js";
import { type Pseudonym, redactRecord } from "../client/page/pseudonym.js";
import type { ColumnsRead, GoneFeatures, Reader, ReadResult } from "../client/read/reader.js";
import { type ReadOptions, type ResolvedPageParams, resolveReadOptions } from "../client/read-options.js";
import type { Origin } from "../core/provenance.js";
import { GrowingArray } from "../tables/cells/growing-array.js";
import type { ChangeColumns } from "../tables/read/change-columns.js";
import type { FeatureColumns } from "../tables/read/feature-columns.js";
import {
  openChanges,
  openParts,
  type StoredChanges,
  type StoredPart,
  storedRecords,
} from "./columns/stored-changes.js";
import { storedFeatures } from "./columns/stored-features.js";
import type { LazyDatabase } from "./database/lazy-database.js";
import {
  type FeatureOrder,
  featureOrder,
  mayHoldFeatures,
  orderBy,
  whereFilters,
  whereMayHoldFeatures,
} from "./database/where.js";
import {
  columnFile,
  GONE_FEATURES,
  type Manifest,
  mayHaveChanges,
  type SnapshotFile,
  snapshotKeyId,
  snapshotPseudonym,
} from "./format/manifest.js";
import { schemaOf } from "./format/table-schema.js";
import type { FileFetcher } from "./remote/remote-folder.js";

/** Longer lists of values are joined as a table, since parsing a statement with a million numbers takes seconds. */
const LONGEST_LIST = 1000;

/** Reads the records of a snapshot, with the same results as the live API at the time of the pull. */
export class SnapshotReader implements Reader {
  readonly origin: Origin;
  readonly readAt: number;
  readonly #database: LazyDatabase;
  readonly #root: string;
  readonly #manifest: Manifest;
  readonly #fetcher: FileFetcher | undefined;
  /** Returns the pseudonym of a person. */
  readonly pseudonym: Pseudonym;

  /**
   * @param path of the folder as passed by the caller
   * @param fetcher fetches files that are not there yet
   */
  constructor(database: LazyDatabase, manifest: Manifest, root: string, path: string, fetcher?: FileFetcher) {
    this.#database = database;
    this.#root = root;
    this.#manifest = manifest;
    this.#fetcher = fetcher;
    this.origin = { kind: "snapshot", name: path, generation: manifest.generation };
    this.readAt = Date.parse(manifest.read_at);
    this.pseudonym = snapshotPseudonym(manifest);
  }

  pseudonymKeyId(redact: boolean): string | undefined {
    return redact ? snapshotKeyId(this.#manifest) : this.#manifest.pseudonyms;
  }

  async all<R extends ResourceName>(
    resource: R,
    filters: ResolvedFilters,
    options?: ReadOptions,
  ): Promise<ReadResult<R>> {
    options?.signal?.throwIfAborted();
    const rows: Records[R][] = [];
    const batches =
      (await this.#stored(resource, filters, options)) ?? this.#batches(resource, filters, undefined, options);
    for await (const batch of batches) {
      for (const record of batch) rows.push(record);
      options?.onProgress?.({ resource, rows: rows.length, total: undefined, share: 0, bytes: 0 });
    }
    options?.onProgress?.({ resource, rows: rows.length, total: rows.length, share: 1, bytes: 0 });
    const diagnostics = await this.#diagnostics(resource, filters, rows.length, options);
    return { rows, readAt: this.readAtOf(resource), diagnostics };
  }

  /** The selected layer features by column; columns are read on access. */
  async columns(filters: ResolvedFilters, options: ReadOptions = {}): Promise<ColumnsRead<FeatureColumns>> {
    this.#database.checkOpen();
    options.signal?.throwIfAborted();
    const sites = filters.get("site_id");
    const files = this.#files("layerFeatures").filter((file) => sites?.includes(file.site_id ?? null) ?? true);
    const hidden = await this.#hiddenDatasets();
    const selected = selectsNothing(filters) ? [] : files;
    await this.#fetchColumns(selected, options.signal);
    const parts = openParts(this.#root, selected);
    const features = storedFeatures(parts, filters, (id) => hidden.has(id));
    const rows = features.rowCount;
    options.onProgress?.({ resource: "layerFeatures", rows, total: rows, share: 1, bytes: 0 });
    const diagnostics = await this.#diagnostics("layerFeatures", filters, rows, options);
    return { columns: features, readAt: this.readAtOf("layerFeatures"), diagnostics };
  }

  /**
   * The property changes of layer features in this snapshot, part by part; columns are read on access.
   *
   * @returns undefined unless the only filter is a list of features
   */
  async changes(
    filters: ResolvedFilters,
    options: ReadOptions = {},
  ): Promise<ColumnsRead<readonly ChangeColumns[]> | undefined> {
    this.#database.checkOpen();
    options.signal?.throwIfAborted();
    const files = this.#files("propertyChanges");
    const ids = filters.get("layer_feature_id");
    if (!ids || filters.size > 1) return undefined;
    const userOf = options.redact ? this.pseudonym : (user: unknown) => user;
    const columns: StoredChanges[] = [];
    const selected = files.filter((file) => mayHaveChanges(file, ids));
    await this.#fetchColumns(selected, options.signal);
    for await (const part of openChanges(this.#root, selected, ids, userOf)) {
      options.signal?.throwIfAborted();
      columns.push(part);
    }
    const rows = columns.reduce((sum, { matching }) => sum + matching, 0);
    options.onProgress?.({ resource: "propertyChanges", rows, total: rows, share: 1, bytes: 0 });
    return { columns, readAt: this.readAtOf("propertyChanges"), diagnostics: [] };
  }

  async gone(filters: ResolvedFilters, options: ReadOptions = {}): Promise<GoneFeatures> {
    const records: LayerFeature[] = [];
    const us = new GrowingArray(Float64Array);
    if (this.#manifest.gone_files?.length && !selectsNothing(filters)) {
      const where = this.#where("layerFeatures", filters);
      const sql = `SELECT record, epoch_us(gone_at)::DOUBLE FROM ${GONE_FEATURES} WHERE ${where.sql} ORDER BY id`;
      const parse = recordParser("layerFeatures", options.redact ? this.pseudonym : undefined);
      const database = await this.#database.get();
      const prepare = (connection: DuckDBConnection) => createLists(connection, longLists(filters));
      for await (const chunk of database.chunks(sql, where.parameters, { prepare, signal: options.signal })) {
        const [texts, times] = [chunk.getColumnValues(0), chunk.getColumnValues(1)];
        for (const text of texts)
          records.push(parse(JSON.parse(String(text)) as Record<string, unknown>) as LayerFeature);
        for (const time of times) us.push(Number(time));
      }
    }
    return { records, us: us.filled() };
  }

  async *records<R extends ResourceName>(
    resource: R,
    filters: ResolvedFilters,
    options?: ReadOptions,
  ): AsyncIterable<Records[R]> {
    for await (const batch of this.#batches(resource, filters, undefined, options)) {
      yield* batch;
    }
  }

  async *pages<R extends ResourceName>(
    resource: R,
    { filters, sort }: ResolvedPageParams,
    options?: ReadOptions,
  ): AsyncIterable<Page<Records[R]>> {
    const { pageSize = LARGEST_PAGE } = resolveReadOptions({}, options);
    const database = await this.#database.get();
    const schema = schemaOf(resource);
    const where = this.#where(resource, filters);
    const order =
      sort.length === 0
        ? undefined
        : resource === "layerFeatures"
          ? await featureOrder(database, schema, { filters, sort, page: 1, pageSize }, where, "main")
          : { rows: wherePart(schema.name, where), sql: orderBy(schema, sort) };
    const rowCount = await this.#count(resource, filters);
    const pageCount = Math.ceil(rowCount / pageSize);
    let data: Records[R][] = [];
    let page = 1;
    for await (const batch of this.#batches(resource, filters, order, options)) {
      data.push(...batch);
      for (; data.length > pageSize; data = data.slice(pageSize)) {
        yield { data: data.slice(0, pageSize), pagination: { page: page++, pageSize, rowCount, pageCount } };
      }
    }
    yield { data, pagination: { page, pageSize, rowCount, pageCount } };
  }

  /** Diagnostics for an empty result. */
  async #diagnostics(resource: ResourceName, filters: ResolvedFilters, rowCount: number, options: ReadOptions = {}) {
    if (rowCount > 0) return [];
    const { scopeDiagnostics } = await import("../client/read/scope-diagnostics.js");
    const diagnostics = await scopeDiagnostics(this, resource, filters, options);
    for (const diagnostic of diagnostics) options.onDiagnostic?.(diagnostic);
    return diagnostics;
  }

  /** All records of a small resource, from its column file; undefined for a selection, or for other resources. */
  async #stored<R extends ResourceName>(
    resource: R,
    filters: ResolvedFilters,
    { redact, signal }: ReadOptions = {},
  ): Promise<readonly Records[R][][] | undefined> {
    this.#database.checkOpen();
    if (filters.size > 0 || schemaOf(resource).columnFiles !== "records") return undefined;
    const parse = recordParser(resource, redact ? this.pseudonym : undefined);
    const parts = await this.#parts(resource, signal);
    return parts.map((part) => storedRecords(part).map((record) => parse(record) as Records[R]));
  }

  /** The same as ids, for SQL conditions. */
  async hiddenDatasetIds(): Promise<readonly number[]> {
    return Array.from(await this.#hiddenDatasets(), Number);
  }

  /** Datasets without features: features that refer to them are not returned. */
  async #hiddenDatasets(): Promise<ReadonlySet<unknown>> {
    const parts = await this.#parts("datasets");
    const hidden = parts.flatMap(storedRecords).filter(({ type }) => !mayHoldFeatures(type));
    return new Set(hidden.map(({ id }) => id));
  }

  async #parts(resource: ResourceName, signal?: AbortSignal): Promise<readonly StoredPart[]> {
    const files = this.#files(resource);
    await this.#fetchColumns(files, signal);
    return openParts(this.#root, files);
  }

  async #fetchColumns(files: readonly SnapshotFile[], signal?: AbortSignal): Promise<void> {
    await this.#fetcher?.fetch(files.map(columnFile), signal);
  }

  #files(resource: ResourceName): readonly SnapshotFile[] {
    return this.#manifest.files.filter((file) => file.resource === resource);
  }

  /** Parsed records in batches, in ascending order of id unless another order is given. */
  async *#batches<R extends ResourceName>(
    resource: R,
    filters: ResolvedFilters,
    order: FeatureOrder | undefined,
    options: ReadOptions = {},
  ): AsyncGenerator<Records[R][], void> {
    const { signal } = options;
    signal?.throwIfAborted();
    if (selectsNothing(filters)) return;
    const lists = longLists(filters);
    const rows = order?.rows ?? wherePart(schemaOf(resource).name, this.#where(resource, filters));
    const isInOrder = !order && this.#standsInOrder(resource, filters);
    const sql = `SELECT record FROM ${rows.sql}${isInOrder ? "" : ` ORDER BY ${order?.sql ?? "id"}`}`;
    const parse = recordParser(resource, options.redact ? this.pseudonym : undefined);
    const database = await this.#database.get();
    const prepare = (connection: DuckDBConnection) => createLists(connection, lists);
    for await (const chunk of database.chunks(sql, rows.parameters, { prepare, signal })) {
      signal?.throwIfAborted();
      const texts = chunk.getColumnValues(0);
      yield await database.parsed(() =>
        texts.map((text) => parse(JSON.parse(String(text)) as Record<string, unknown>) as Records[R]),
      );
    }
  }

  async #count(resource: ResourceName, filters: ResolvedFilters): Promise<number> {
    if (selectsNothing(filters)) return 0;
    const { sql, parameters } = this.#where(resource, filters);
    const lists = longLists(filters);
    let rows = 0;
    const count = `SELECT count(*)::DOUBLE FROM ${schemaOf(resource).name} WHERE ${sql}`;
    const database = await this.#database.get();
    const prepare = (connection: DuckDBConnection) => createLists(connection, lists);
    for await (const chunk of database.chunks(count, parameters, { prepare })) {
      rows = Number(chunk.getColumnValues(0)[0]);
    }
    return rows;
  }

  #where(resource: ResourceName, filters: ResolvedFilters): SqlPart {
    const lists = longLists(filters);
    const short = whereFilters(resource, new Map([...filters].filter(([name]) => !lists.has(name))));
    const conditions = [short.sql, ...[...lists.keys()].map((name) => `"${name}" IN (SELECT value FROM list_${name})`)];
    if (resource === "layerFeatures") conditions.push(whereMayHoldFeatures("datasets"));
    // Specification: propertyChanges, rule 1: changes of features that the key cannot access are omitted.
    if (resource === "propertyChanges" && this.#manifest.gone_files?.length) {
      conditions.push(`layer_feature_id NOT IN (SELECT id FROM ${GONE_FEATURES})`);
    }
    return { sql: conditions.join(" AND "), parameters: short.parameters };
  }

  /** Whether the rows of the files are in ascending order of id, so that no wide rows need sorting. */
  #standsInOrder(resource: ResourceName, filters: ResolvedFilters): boolean {
    if (!schemaOf(resource).bySite) return true;
    if (resource !== "layerFeatures") return false;
    const siteFilter = filters.get("site_id");
    const sites = new Set(this.#manifest.files.filter((file) => file.resource === resource).map((f) => f.site_id));
    return [...sites].filter((site) => !siteFilter || siteFilter.includes(site ?? null)).length <= 1;
  }

  readAtOf(resource: ResourceName): number {
    const times = this.#manifest.read_times?.[resource];
    return times ? Date.parse(times.to) : this.readAt;
  }
}

function wherePart(table: string, { sql, parameters }: SqlPart): SqlPart {
  return { sql: `${table} WHERE ${sql}`, parameters };
}

/**
 * Filters with more values than a statement should contain. Null is never among them, since such filters have few
 * values. Keys of changes are one value of a statement, whatever their count.
 */
function longLists(filters: ResolvedFilters): ReadonlyMap<string, readonly FilterValue[]> {
  const isLong = (name: string, values: readonly FilterValue[]) =>
    values.length > LONGEST_LIST && !values.includes(null) && name !== "property_key";
  return new Map([...filters].filter(([name, values]) => isLong(name, values)));
}

async function createLists(
  connection: DuckDBConnection,
  lists: ReadonlyMap<string, readonly FilterValue[]>,
): Promise<void> {
  for (const [name, values] of lists) {
    const isNumber = typeof values[0] === "number";
    await connection.run(`CREATE TEMP TABLE list_${name} (value ${isNumber ? "BIGINT" : "VARCHAR"})`);
    const appender = await connection.createAppender(`list_${name}`);
    for (const value of values) {
      if (typeof value === "number") appender.appendBigInt(BigInt(value));
      else appender.appendVarchar(String(value));
      appender.endRow();
    }
    appender.closeSync();
  }
}

/** Returns a parser for records in the form of the API: without attributes that it only filters and sorts by. */
function recordParser(
  resource: ResourceName,
  pseudonym: Pseudonym | undefined,
): (record: Record<string, unknown>) => object {
  const contract: Resource = resources[resource];
  const hidden = Object.keys(contract.hidden ?? {});
  return (record) => {
    for (const name of hidden) delete record[name];
    return pseudonym ? redactRecord(resource, record, pseudonym) : record;
  };
}
