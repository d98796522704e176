import type { DuckDBConnection } from "@duckdb/node-api";
import { LARGEST_PAGE, type Page, type Resource } from "../api/contract.js";
import { type FilterValue, type ResolvedFilters, selectsNothing } from "../api/filters.js";
import { type LayerFeature, type Records, type ResourceName, resources } from "../api/resources.js";
import { operatorOf, type SqlPart } from "../api/select-records.js";
import { type Pseudonym, redactRecord } from "../client/page/pseudonym.js";
import type { ColumnsRead, GoneFeatures, Reader, ReadResult } from "../client/read/reader.js";
import { type ReadOptions, type ResolvedPageParams, resolveReadOptions } from "../client/read-options.js";
import { binarySearch } from "../core/binary-search.js";
import type { Origin } from "../core/provenance.js";
import { GrowingArray } from "../tables/cells/growing-array.js";
import {
  type Column,
  type CountedColumn,
  noTypes,
  readsQuietly,
  type TypeCounts,
  type ValueCounter,
} from "../tables/column/column.js";
import type { ChangeColumns } from "../tables/read/change-columns.js";
import { type BaseField, baseFields, type FeatureColumns } from "../tables/read/feature-columns.js";
import {
  openChanges,
  openParts,
  type StoredChanges,
  type StoredPart,
  storedRecords,
} from "./columns/stored-changes.js";
import type { StoredColumn } from "./columns/stored-column.js";
import { mayHoldFeatures, whereMayHoldFeatures } from "./database/feature-datasets.js";
import type { LazyDatabase } from "./database/lazy-database.js";
import { type FeatureOrder, featureOrder, orderBy, whereFilters } from "./database/where.js";
import { columnFile, GONE_FEATURES, type Manifest, mayHaveChanges, type SnapshotFile } from "./format/manifest.js";
import { snapshotKeyId, snapshotPseudonym } from "./format/snapshot-pseudonym.js";
import { schemaOf } from "./format/table-schema.js";
import type { FileFetcher } from "./remote/remote-folder.js";

/** A column over the parts of a table. Values are read from the files on access. */
class PartsColumn implements Column, CountedColumn {
  static {
    readsQuietly(PartsColumn.prototype);
  }

  readonly length: number;
  readonly #parts: readonly (StoredColumn | undefined)[];
  readonly #rows: RowMap;
  #counts: TypeCounts | undefined;

  /** @param parts the column of each part; undefined if no record of the part has the member */
  constructor(parts: readonly (StoredColumn | undefined)[], rows: RowMap) {
    this.length = rows.length;
    this.#parts = parts;
    this.#rows = rows;
  }

  at(row: number): unknown {
    if (!(row >= 0 && row < this.length)) return undefined;
    return this.#parts[this.#rows.partAt(row)]?.at(this.#rows.rowInPart(row)) ?? null;
  }

  /** Microseconds since 1970 of a timestamp; NaN if the value is not an instant. */
  us(row: number): number {
    return this.#parts[this.#rows.partAt(row)]?.us(this.#rows.rowInPart(row)) ?? Number.NaN;
  }

  /** Rows of parts without microseconds; only strings of existing instants in one form are stored as microseconds. */
  rowsWithoutForm(): Iterable<number> {
    const isFormed = this.#parts.every(
      (part) => part === undefined || part.entry.kind === "instant" || isEmpty(part.entry.counts),
    );
    return isFormed ? [] : Array.from({ length: this.length }).keys();
  }

  /** Rows that may have an invalid geometry; empty if the column files mark all geometries as valid. */
  rowsWithoutGeometry(): readonly number[] {
    const isSound = this.#parts.every((part) => part === undefined || part.entry.hasSoundGeometries === true);
    return isSound ? [] : [...Array(this.length).keys()];
  }

  countInto(counter: ValueCounter): void {
    for (const [part, column] of this.#parts.entries()) {
      if (column) column.countInto(counter, this.#rows.selected[part]);
      else counter.add(null, this.#rows.countOf(part));
    }
  }

  countTypes(): TypeCounts {
    this.#counts ??= this.#count();
    return this.#counts;
  }

  *[Symbol.iterator](): Iterator<unknown> {
    for (let row = 0; row < this.length; row += 1) yield this.at(row);
  }

  #count(): TypeCounts {
    const counts = noTypes();
    let counted = 0;
    for (const [part, column] of this.#parts.entries()) {
      if (!column) continue;
      const selected = this.#rows.selected[part];
      if (selected) for (const row of selected) counts[column.typeAt(row)] += 1;
      else
        for (const type of ["null", "boolean", "number", "string", "json"] as const)
          counts[type] += column.entry.counts[type];
      counted += selected?.length ?? totalOf(column.entry.counts);
    }
    counts.null += this.length - counted;
    return counts;
  }
}

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

function isEmpty(counts: TypeCounts): boolean {
  return totalOf(counts) === counts.null;
}

function totalOf(counts: TypeCounts): number {
  return counts.null + counts.boolean + counts.number + counts.string + counts.json;
}

/**
 * The features of some parts as columns, in ascending order of id.
 *
 * @param filters of the features
 * @param isHidden whether the features of a dataset are not layer features
 */
function storedFeatures(
  parts: readonly StoredPart[],
  filters: ResolvedFilters,
  isHidden: (datasetId: unknown) => boolean,
): FeatureColumns {
  const rows = inOrder(
    parts,
    new RowMap(
      parts.map((part) => part.rows),
      parts.map((part) => select(part, filters, isHidden)),
    ),
  );
  const column = (find: (part: StoredPart) => StoredColumn | undefined) => new PartsColumn(parts.map(find), rows);
  const base = new Map<BaseField, PartsColumn>(
    baseFields.map((field) => [field, column(({ fields }) => fields.get(field))]),
  );
  const properties = new Map(propertyKeys(parts, rows).map((key) => [key, column((part) => part.properties.get(key))]));
  return { rowCount: rows.length, base, properties };
}

/** The selected rows of a part; undefined for all. */
function select(
  { rows, fields }: StoredPart,
  filters: ResolvedFilters,
  isHidden: (datasetId: unknown) => boolean,
): Uint32Array | undefined {
  const tests = [...filters].map(([name, values]) =>
    test(fields.get(name), operatorOf("layerFeatures", name).test(values)),
  );
  tests.push(test(fields.get("dataset_id"), (value) => !isHidden(value)));
  const selected = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row += 1) {
    if (tests.every((passes) => passes(row))) selected[count++] = row;
  }
  return count === rows ? undefined : selected.slice(0, count);
}

/** A test of rows that checks each distinct value of a column once. */
function test(column: StoredColumn | undefined, passes: (value: unknown) => boolean): (row: number) => boolean {
  const hasChanges = new Map<unknown, boolean>();
  return (row) => {
    const value = column?.at(row) ?? null;
    const answer = hasChanges.get(value) ?? passes(value);
    hasChanges.set(value, answer);
    return answer;
  };
}

/** Ids of parts of several sites overlap. */
function inOrder(parts: readonly StoredPart[], rows: RowMap): RowMap {
  const column = new PartsColumn(
    parts.map(({ fields }) => fields.get("id")),
    rows,
  );
  const ids = Float64Array.from(column, Number);
  if (ids.every((id, row) => row === 0 || id > (ids[row - 1] as number))) return rows;
  const order = Uint32Array.from(ids.keys());
  // The parts are sorted runs, which makes the sort fast.
  return rows.ordered(order.sort((a, b) => (ids[a] as number) - (ids[b] as number)));
}

/** The keys of the selected features, in order of first appearance. */
function propertyKeys(parts: readonly StoredPart[], { selected }: RowMap): readonly string[] {
  const keys = new Set<string>();
  for (const [part, { properties }] of parts.entries()) {
    for (const [key, column] of properties) {
      if (!keys.has(key) && (selected[part]?.some((row) => column.has(row)) ?? true)) keys.add(key);
    }
  }
  return [...keys];
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

/** Selected rows of some parts, in some order. */
class RowMap {
  readonly length: number;
  /** Selected rows of each part; undefined for all. */
  readonly selected: readonly (Uint32Array | undefined)[];
  /** Start of each part among the selected rows, and the end of the last. */
  readonly #starts: readonly number[];
  /** The selected rows in the wanted order; undefined if they are already in order. */
  readonly #order: Uint32Array | undefined;
  #part = 0;

  /** @param rows count of each part */
  constructor(rows: readonly number[], selected: readonly (Uint32Array | undefined)[], order?: Uint32Array) {
    const starts = [0];
    for (const [part, count] of rows.entries())
      starts.push((starts[part] as number) + (selected[part]?.length ?? count));
    this.selected = selected;
    this.length = starts.at(-1) ?? 0;
    this.#starts = starts;
    this.#order = order;
  }

  /** The same rows in another order. */
  ordered(order: Uint32Array): RowMap {
    const rows = this.#starts.slice(1).map((_, part) => this.countOf(part));
    return new RowMap(rows, this.selected, order);
  }

  /** Count of rows of a part. */
  countOf(part: number): number {
    return (this.#starts[part + 1] as number) - (this.#starts[part] as number);
  }

  /** The part of a row. */
  partAt(row: number): number {
    return this.#partOf(this.#indexAt(row));
  }

  /** Index of a row in its part. */
  rowInPart(row: number): number {
    const index = this.#indexAt(row);
    const part = this.#partOf(index);
    const chosen = index - (this.#starts[part] as number);
    return this.selected[part]?.[chosen] ?? chosen;
  }

  /** Index of a row among the selected rows of all parts in sequence. */
  #indexAt(row: number): number {
    return this.#order ? (this.#order[row] as number) : row;
  }

  /** Neighbors mostly belong to the same part. */
  #partOf(index: number): number {
    const starts = this.#starts;
    if (index < (starts[this.#part] as number) || index >= (starts[this.#part + 1] as number)) this.#search(index);
    return this.#part;
  }

  /** Separate from the method above, which would otherwise allocate memory for this closure on each call. */
  #search(index: number): void {
    const starts = this.#starts;
    this.#part = Math.max(0, binarySearch(starts.length - 1, (part) => (starts[part] as number) <= index) - 1);
  }
}
