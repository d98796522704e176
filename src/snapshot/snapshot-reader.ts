import type { DuckDBConnection } from "@duckdb/node-api";
import { LARGEST_PAGE, type Resource } from "../api/contract.js";
import { type FilterValue, type ResolvedFilters, selectsNothing } from "../api/filters.js";
import type { Page } from "../api/page.js";
import { type LayerFeature, type Records, type ResourceName, resources } from "../api/resources.js";
import { operatorOf, type SqlPart } from "../api/select-records.js";
import { type Pseudonym, redactRecord } from "../client/page/pseudonym.js";
import type { ColumnsRead, GoneFeatures, Reader, ReadResult } from "../client/read/reader.js";
import { type ReadOptions, type ResolvedPageParams, resolveReadOptions } from "../client/read-options.js";
import { firstIndex } from "../core/first-index.js";
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

/** One column over the parts of a table. Values are read from the files when they are asked for. */
class PartsColumn implements Column, CountedColumn {
  static {
    readsQuietly(PartsColumn.prototype);
  }

  readonly length: number;
  readonly #parts: readonly (StoredColumn | undefined)[];
  readonly #rows: RowMap;
  #counts: TypeCounts | undefined;

  /** @param parts the column of each part; undefined where no record of the part has the member */
  constructor(parts: readonly (StoredColumn | undefined)[], rows: RowMap) {
    this.length = rows.length;
    this.#parts = parts;
    this.#rows = rows;
  }

  at(row: number): unknown {
    if (!(row >= 0 && row < this.length)) return undefined;
    return this.#parts[this.#rows.partAt(row)]?.at(this.#rows.rowInPart(row)) ?? null;
  }

  /** Microseconds since 1970 of a timestamp; NaN where the value is none. */
  us(row: number): number {
    return this.#parts[this.#rows.partAt(row)]?.us(this.#rows.rowInPart(row)) ?? Number.NaN;
  }

  /** Rows of parts that do not hold microseconds, which only texts of existing instants in one form become. */
  rowsWithoutForm(): Iterable<number> {
    const isFormed = this.#parts.every(
      (part) => part === undefined || part.entry.kind === "instant" || isEmpty(part.entry.counts),
    );
    return isFormed ? [] : Array.from({ length: this.length }).keys();
  }

  /** Rows that may hold a geometry with a fault; empty if the column files say that all geometries are sound. */
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

/** Longer lists of values are joined as a table: a statement with a million numbers takes seconds to parse. */
const LONGEST_LIST = 1000;

/** Reads the records of a snapshot, with the answers that the live API gave when it was pulled. */
export class SnapshotReader implements Reader {
  readonly origin: Origin;
  readonly readAt: number;
  readonly #database: LazyDatabase;
  readonly #root: string;
  readonly #manifest: Manifest;
  readonly #fetcher: FileFetcher | undefined;
  /** What stands in place of a person where that is asked for. */
  readonly pseudonym: Pseudonym;

  /**
   * @param path of the folder as it was given
   * @param fetcher brings files that are not there yet
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
    const findings = await this.#findings(resource, filters, rows.length, options);
    return { rows, readAt: this.readAtOf(resource), findings };
  }

  /** The layer features that filters select, by column; a column is read when a value is asked for. */
  async columns(filters: ResolvedFilters, options: ReadOptions = {}): Promise<ColumnsRead<FeatureColumns>> {
    this.#database.checkOpen();
    options.signal?.throwIfAborted();
    const sites = filters.get("site_id");
    const files = this.#files("layerFeatures").filter((file) => sites?.includes(file.site_id ?? null) ?? true);
    const hidden = await this.#hiddenDatasets();
    const wanted = selectsNothing(filters) ? [] : files;
    await this.#fetchColumns(wanted, options.signal);
    const parts = openParts(this.#root, wanted);
    const features = storedFeatures(parts, filters, (id) => hidden.has(id));
    const rows = features.rowCount;
    options.onProgress?.({ resource: "layerFeatures", rows, total: rows, share: 1, bytes: 0 });
    const findings = await this.#findings("layerFeatures", filters, rows, options);
    return { columns: features, readAt: this.readAtOf("layerFeatures"), findings };
  }

  /**
   * The property changes of layer features that this snapshot has, part by part; a column is read when it is asked for.
   *
   * @returns undefined unless they are asked for by features alone
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
    const wanted = files.filter((file) => mayHaveChanges(file, ids));
    await this.#fetchColumns(wanted, options.signal);
    for await (const part of openChanges(this.#root, wanted, ids, userOf)) {
      options.signal?.throwIfAborted();
      columns.push(part);
    }
    const rows = columns.reduce((sum, { wanted }) => sum + wanted, 0);
    options.onProgress?.({ resource: "propertyChanges", rows, total: rows, share: 1, bytes: 0 });
    return { columns, readAt: this.readAtOf("propertyChanges"), findings: [] };
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

  /** Why there is nothing, if there is nothing. */
  async #findings(resource: ResourceName, filters: ResolvedFilters, rowCount: number, options: ReadOptions = {}) {
    if (rowCount > 0) return [];
    const { scopeFindings } = await import("../client/read/scope-findings.js");
    const findings = await scopeFindings(this, resource, filters, options);
    for (const finding of findings) options.onFinding?.(finding);
    return findings;
  }

  /** All records of a small resource, from its column file; undefined for a part of them, or for others. */
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

  /** The same as ids, for conditions of SQL. */
  async hiddenDatasetIds(): Promise<readonly number[]> {
    return Array.from(await this.#hiddenDatasets(), Number);
  }

  /** Datasets that hold no features: those that say to be in one are not given. */
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

  /** Parsed records, some at a time, in ascending order of id unless another order is given. */
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
    // Specification: propertyChanges, rule 1: of features that the key cannot access there are no changes.
    if (resource === "propertyChanges" && this.#manifest.gone_files?.length) {
      conditions.push(`layer_feature_id NOT IN (SELECT id FROM ${GONE_FEATURES})`);
    }
    return { sql: conditions.join(" AND "), parameters: short.parameters };
  }

  /** Whether the files of the rows stand in ascending order of id, so that nothing wide needs to be sorted. */
  #standsInOrder(resource: ResourceName, filters: ResolvedFilters): boolean {
    if (!schemaOf(resource).bySite) return true;
    if (resource !== "layerFeatures") return false;
    const wanted = filters.get("site_id");
    const sites = new Set(this.#manifest.files.filter((file) => file.resource === resource).map((f) => f.site_id));
    return [...sites].filter((site) => !wanted || wanted.includes(site ?? null)).length <= 1;
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
 * @param filters what the features are selected by
 * @param isHidden whether the features of a dataset are not among the layer features
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

/** The rows of a part that the filters select; undefined for all of them. */
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

/** A test of rows that looks at each value of a column once. */
function test(column: StoredColumn | undefined, passes: (value: unknown) => boolean): (row: number) => boolean {
  const known = new Map<unknown, boolean>();
  return (row) => {
    const value = column?.at(row) ?? null;
    const answer = known.get(value) ?? passes(value);
    known.set(value, answer);
    return answer;
  };
}

/** Parts of several sites overlap in their ids. */
function inOrder(parts: readonly StoredPart[], rows: RowMap): RowMap {
  const column = new PartsColumn(
    parts.map(({ fields }) => fields.get("id")),
    rows,
  );
  const ids = Float64Array.from(column, Number);
  if (ids.every((id, row) => row === 0 || id > (ids[row - 1] as number))) return rows;
  const order = Uint32Array.from(ids.keys());
  // The parts are runs in order already, which the sort makes use of.
  return rows.ordered(order.sort((a, b) => (ids[a] as number) - (ids[b] as number)));
}

/** The keys that selected features have, in order of first appearance. */
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
 * Filters with more values than a statement should hold. Null is never among them: it is one of few values. Keys of
 * changes are one value of a statement, however many there are.
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

/** Makes a record one as the API returns it: without the attributes that it only filters and sorts by. */
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

/** Rows of some parts: which ones, and in which order. */
class RowMap {
  readonly length: number;
  /** Rows chosen of each part; undefined for all of them. */
  readonly selected: readonly (Uint32Array | undefined)[];
  /** Where each part begins among the chosen rows, and the end of the last. */
  readonly #starts: readonly number[];
  /** The chosen rows in the order wanted; undefined where they stand in it. */
  readonly #order: Uint32Array | undefined;
  #part = 0;

  /** @param rows of each part */
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

  /** How many rows of a part there are. */
  countOf(part: number): number {
    return (this.#starts[part + 1] as number) - (this.#starts[part] as number);
  }

  /** The part that a row is of. */
  partAt(row: number): number {
    return this.#partOf(this.#indexAt(row));
  }

  /** The number of a row in its part. */
  rowInPart(row: number): number {
    const index = this.#indexAt(row);
    const part = this.#partOf(index);
    const chosen = index - (this.#starts[part] as number);
    return this.selected[part]?.[chosen] ?? chosen;
  }

  /** The number of a row among the chosen rows of all parts, one part after the other. */
  #indexAt(row: number): number {
    return this.#order ? (this.#order[row] as number) : row;
  }

  /** Neighbors are mostly of one part. */
  #partOf(index: number): number {
    const starts = this.#starts;
    if (index < (starts[this.#part] as number) || index >= (starts[this.#part + 1] as number)) this.#search(index);
    return this.#part;
  }

  /** Apart from the method above, which would allocate memory for the variables of the function here with each call. */
  #search(index: number): void {
    const starts = this.#starts;
    this.#part = Math.max(0, firstIndex(starts.length - 1, (part) => (starts[part] as number) <= index) - 1);
  }
}
