import type { Endpoint } from "../../api/endpoints.js";
import { type FilterValue, siteRule } from "../../api/filters.js";
import type { ParsedQuery } from "../../api/parse-query.js";
import type { ResourceName } from "../../api/resources.js";
import { operatorOf, type SqlPart } from "../../api/select-records.js";
import { Database } from "../database/database.js";
import {
  type FeatureOrder,
  featureOrder,
  orderBy,
  sortsByProperty,
  whereFilters,
  whereMayHoldFeatures,
} from "../database/where.js";
import { readGeneration } from "../folder/manifest-file.js";
import { checkHashes, checkSizes } from "../folder/verify-files.js";
import { contentVersion, type Manifest } from "../format/manifest.js";
import { schemaOf } from "../format/table-schema.js";
import { RecordReader } from "./record-reader.js";
import { createServedTables, servedTable } from "./served-tables.js";
import type { Access, SnapshotStore, StoredPage } from "./snapshot-store.js";

/** A column as small numbers, one per distinct value, so that a filter is one look-up per row. */
class CodeColumn {
  readonly #codes: Uint32Array;
  readonly #codeOf = new Map<FilterValue, number>();

  constructor(rows: number) {
    this.#codes = new Uint32Array(rows);
  }

  /** Sets the values of some rows; `values` has one for each. */
  fill(rows: Uint32Array, values: { getItem(index: number): unknown }): void {
    let lastValue: FilterValue | undefined;
    let code = 0;
    for (let index = 0; index < rows.length; index++) {
      const value = values.getItem(index) as FilterValue;
      // Neighbors are often equal.
      if (value !== lastValue) code = this.#code(value);
      lastValue = value;
      this.#codes[rows[index] as number] = code;
    }
  }

  /** A test of rows: 1 at the code of each value that passes. */
  test(passes: (value: FilterValue) => boolean): RowTest {
    return { codes: this.#codes, allowed: Uint8Array.from(this.#codeOf.keys(), (value) => Number(passes(value))) };
  }

  #code(value: FilterValue): number {
    const former = this.#codeOf.get(value);
    if (former !== undefined) return former;
    const code = this.#codeOf.size;
    this.#codeOf.set(value, code);
    return code;
  }
}

/** A row passes if its code is allowed. */
interface RowTest {
  readonly codes: Uint32Array;
  readonly allowed: Uint8Array;
}

/** Work whose result several callers await. It is stopped when none of them needs it any longer. */
class SharedWork<T> {
  readonly result: Promise<T>;
  readonly #controller = new AbortController();
  #wanting = 0;

  /** @param work starts at once; rejects when its signal is aborted */
  constructor(work: (signal: AbortSignal) => Promise<T>) {
    this.result = work(this.#controller.signal);
  }

  get isStopped(): boolean {
    return this.#controller.signal.aborted;
  }

  /** The result, unless the signal is aborted before. */
  async get(signal: AbortSignal | undefined): Promise<T> {
    this.#wanting += 1;
    const leave = () => {
      this.#wanting -= 1;
      if (this.#wanting === 0) this.#controller.abort(signal?.reason);
    };
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await this.result;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }
}

/** Approximate bytes of an entry in addition to its result and its key. */
const ENTRY_BYTES = 500;

/** Keeps the results of recent computations, limited by their size. */
export class WeightedCache<T extends { readonly byteLength: number }> {
  readonly #capacity: number;
  readonly #entries = new Map<string, SharedWork<T>>();
  /** Weights of the existing results, and their sum. */
  readonly #weights = new Map<string, number>();
  #total = 0;

  /** @param capacity bytes to keep; the newest result is always kept */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Bytes of a result in a cache: an empty result still has a key. */
  static weigh(key: string, { byteLength }: { readonly byteLength: number }): number {
    return byteLength + 2 * key.length + ENTRY_BYTES;
  }

  /**
   * Returns the result for a key, computed once for simultaneous callers. Failures are not kept.
   *
   * @param compute is aborted when all callers have left
   * @param signal is aborted when this caller leaves
   */
  async get(key: string, compute: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const cached = this.#entries.get(key);
    const entry = cached && !cached.isStopped ? cached : this.#start(key, compute);
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.get(signal);
  }

  #start(key: string, compute: (signal: AbortSignal) => Promise<T>): SharedWork<T> {
    const entry = new SharedWork(compute);
    const isMine = () => this.#entries.get(key) === entry;
    entry.result.then(
      (result) => {
        if (!isMine()) return;
        const weight = WeightedCache.weigh(key, result);
        this.#weights.set(key, weight);
        this.#total += weight;
        this.#drop(key);
      },
      () => {
        if (isMine()) this.#entries.delete(key);
      },
    );
    return entry;
  }

  #drop(newest: string): void {
    for (const key of this.#entries.keys()) {
      if (this.#total <= this.#capacity) return;
      const weight = this.#weights.get(key);
      if (key === newest || weight === undefined) continue;
      this.#entries.delete(key);
      this.#weights.delete(key);
      this.#total -= weight;
    }
  }
}

/** Limits the tasks that run at a time; the others wait in order. */
class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

type FilterName = "site_id" | "operation_id" | "dataset_id" | "semantic_type";

const FILTERS: readonly FilterName[] = ["site_id", "operation_id", "dataset_id", "semantic_type"];
/** Bytes of row numbers to keep. */
const KEPT_ORDERS = 48_000_000;
const KEPT_SELECTIONS = 32_000_000;
/**
 * Maximum simultaneous sorts: each keeps its rows in the database's memory until the last is read, and more threads do
 * not run anyway.
 */
const MOST_SORTS = 4;
const FEATURES_ONLY = whereMayHoldFeatures("served.datasets");

const schema = schemaOf("layerFeatures");

/**
 * The layer features without their texts, enough to find the rows of a page. An order of all rows is kept, so that any
 * filter in that order is one pass over small numbers.
 */
class FeatureTable {
  /** Bytes of each record's text, by row. */
  readonly lengths: Uint32Array;
  readonly #database: Database;
  readonly #columns: Readonly<Record<FilterName, CodeColumn>>;
  readonly #orders = new WeightedCache<Uint32Array>(KEPT_ORDERS);
  readonly #selections = new WeightedCache<Uint32Array>(KEPT_SELECTIONS);
  readonly #sorts = new Semaphore(MOST_SORTS);

  private constructor(database: Database, rows: number) {
    this.#database = database;
    this.lengths = new Uint32Array(rows);
    this.#columns = {
      site_id: new CodeColumn(rows),
      operation_id: new CodeColumn(rows),
      dataset_id: new CodeColumn(rows),
      semantic_type: new CodeColumn(rows),
    };
  }

  /** @param rows count of layer features in the snapshot */
  static async load(database: Database, rows: number): Promise<FeatureTable> {
    const table = new FeatureTable(database, rows);
    await Promise.all([
      table.#loadColumns(),
      table.#order([{ field: "id", descending: false }]),
      table.#order([
        { field: "updated_at", descending: true },
        { field: "id", descending: true },
      ]),
    ]);
    return table;
  }

  /** The selected rows, in the query's order. */
  select(query: ParsedQuery, access: Access, signal?: AbortSignal): Promise<Uint32Array> {
    const key = JSON.stringify([[...query.filters], query.sort, access.siteIds]);
    const select = async (abort: AbortSignal) => {
      const order = sortsByProperty(query.sort)
        ? await this.#orderByProperty(query, abort)
        : await this.#order(query.sort, abort);
      return passingRows(order, this.#tests(query, access));
    };
    return this.#selections.get(key, select, signal);
  }

  #tests({ filters }: ParsedQuery, { siteIds }: Access): RowTest[] {
    const tests = FILTERS.flatMap((name) => {
      const values = filters.get(name);
      return values ? [this.#test(name, values)] : [];
    });
    return siteIds ? [...tests, this.#test("site_id", siteIds)] : tests;
  }

  #test(name: FilterName, values: readonly FilterValue[]): RowTest {
    return this.#columns[name].test(operatorOf("layerFeatures", name).test(values));
  }

  #order(sort: ParsedQuery["sort"], signal?: AbortSignal): Promise<Uint32Array> {
    const rows = { sql: `layer_features WHERE ${FEATURES_ONLY}`, parameters: [] };
    const order = (abort: AbortSignal) => this.#rowNumbers({ rows, sql: orderBy(schema, sort) }, abort);
    return this.#orders.get(JSON.stringify(sort), order, signal);
  }

  /**
   * `passingRows` checks the sites: a condition on them would skip files, and `row` counts the rows of files that are
   * read.
   */
  async #orderByProperty(query: ParsedQuery, signal: AbortSignal): Promise<Uint32Array> {
    const { sql, parameters } = whereFilters(
      schema.resource,
      new Map([...query.filters].filter(([name]) => name !== "site_id")),
    );
    const where = { sql: `${FEATURES_ONLY} AND ${sql}`, parameters };
    return this.#rowNumbers(await featureOrder(this.#database, schema, query, where), signal);
  }

  #rowNumbers(order: FeatureOrder, signal: AbortSignal): Promise<Uint32Array> {
    return this.#sorts.run(async () => {
      const rows = new Uint32Array(this.lengths.length);
      let count = 0;
      const sql = `SELECT row::INTEGER FROM ${order.rows.sql} ORDER BY ${order.sql}`;
      for await (const chunk of this.#database.chunks(sql, order.rows.parameters, { signal })) {
        const vector = chunk.getColumnVector(0);
        const length = vector.itemCount;
        for (let index = 0; index < length; index++) rows[count++] = vector.getItem(index) as number;
      }
      return rows.slice(0, count);
    });
  }

  async #loadColumns(): Promise<void> {
    const numbers = FILTERS.map((name) => (name === "semantic_type" ? name : `${name}::DOUBLE`));
    const sql = `SELECT row::INTEGER, record_bytes, ${numbers.join()} FROM layer_features`;
    const columns = FILTERS.map((name) => this.#columns[name]);
    for await (const chunk of this.#database.chunks(sql)) {
      const length = chunk.rowCount;
      const rows = new Uint32Array(length);
      const [positions, lengths] = [chunk.getColumnVector(0), chunk.getColumnVector(1)];
      for (let index = 0; index < length; index++) {
        const row = positions.getItem(index) as number;
        rows[index] = row;
        this.lengths[row] = lengths.getItem(index) as number;
      }
      for (const [at, column] of columns.entries()) column.fill(rows, chunk.getColumnVector(at + 2));
    }
  }
}

/** The rows that pass every test, in the given order. */
function passingRows(order: Uint32Array, tests: readonly RowTest[]): Uint32Array {
  const [first] = tests;
  if (!first) return order;
  // Every test has a code for each row. An order visits rows randomly, while tests read rows in sequence and write one
  // byte each, so only that small array is accessed randomly.
  const passes = new Uint8Array(first.codes.length).fill(1);
  for (const { codes, allowed } of tests) {
    for (let row = 0; row < passes.length; row++)
      passes[row] = (passes[row] as number) & (allowed[codes[row] as number] as number);
  }
  const kept = new Uint32Array(order.length);
  let count = 0;
  for (let index = 0; index < order.length; index++) {
    const row = order[index] as number;
    // Always writes and counts passing rows: a randomly taken branch costs more.
    kept[count] = row;
    count += passes[row] as number;
  }
  return kept.slice(0, count);
}

/**
 * Opens a snapshot folder to answer queries of the read API.
 *
 * @throws SnapshotError with the file, before anything is served, if a file is missing, truncated or altered, the
 * format version is unknown or the folder is not a snapshot
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

/** An open generation of a snapshot folder for serving. */
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
    const filters = whereFilters(resource, query.filters);
    const where = { ...filters, sql: `${filters.sql} AND ${whereVisible(resource, access)}` };
    const rows = { table: servedTable(resource), where, order: orderBy(schema, query.sort) };
    return readPage(this.#database, rows, query, signal);
  }
}

/** The SQL condition that a key can access a row of a resource. Specification: Authentication. */
function whereVisible(resource: ResourceName, access: Access): string {
  if (!access.siteIds) return "true";
  const { by, of, shared } = siteRule(resource);
  if (of) return `${by} IN (SELECT id FROM ${servedTable(of)} WHERE ${whereVisible(of, access)})`;
  const onSite = operatorOf(resource, by).sql(by, access.siteIds).sql;
  return shared ? `("${by}" IS NULL OR ${onSite})` : onSite;
}

/** The rows that are divided into pages. */
interface SelectedRows {
  /** Name of the table, with the schema. */
  readonly table: string;
  readonly where: SqlPart;
  /** An ORDER BY list without ties. */
  readonly order: string;
}

/**
 * Reads a page with SQL; the engine joins the records' texts.
 *
 * @param signal is aborted when the page is no longer needed
 */
async function readPage(
  database: Database,
  { table, where, order }: SelectedRows,
  { page, pageSize }: ParsedQuery,
  signal?: AbortSignal,
): Promise<StoredPage> {
  // encode() returns the text as UTF-8 bytes, which avoids UTF-16 in JavaScript.
  const [row] = await database.rows(
    `WITH selected AS MATERIALIZED (FROM ${table} WHERE ${where.sql}),
     page AS (FROM selected ORDER BY ${order} LIMIT ${pageSize} OFFSET ${offsetOf(page, pageSize)})
     SELECT (SELECT count(*) FROM selected)::DOUBLE,
       encode('[' || coalesce((SELECT string_agg(record, ',' ORDER BY ${order}) FROM page), '') || ']')`,
    where.parameters,
    signal,
  );
  const [rowCount, data] = row ?? [];
  if (typeof rowCount !== "number" || !isBlob(data)) throw new TypeError("DuckDB gave no page");
  return { data: data.bytes, rowCount };
}

/** Count of rows before a page. SQL treats all pages beyond the last possible row the same. */
function offsetOf(page: number, pageSize: number): number {
  return Math.min((page - 1) * pageSize, Number.MAX_SAFE_INTEGER);
}

function isBlob(value: unknown): value is { readonly bytes: Uint8Array } {
  return typeof value === "object" && value !== null && "bytes" in value && value.bytes instanceof Uint8Array;
}
