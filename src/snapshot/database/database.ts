import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance, DuckDBValue } from "@duckdb/node-api";
import type { SqlParameter } from "../../api/select-records.js";
import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import { loadDuckDB } from "../../tables/sql/load-duckdb.js";
import { shutIn } from "../../tables/sql/sandbox.js";
import { sqlList } from "../../tables/sql/sql-text.js";
import { locateFiles } from "../folder/read-generation.js";
import { GONE_FEATURES, isCanonical, type Manifest, type SnapshotFile } from "../format/manifest.js";
import { movedPath } from "../format/own-paths.js";
import { schemaOf, type TableSchema, tableSchemas, WKB } from "../format/table-schema.js";
import { type DuckDBSettings, openDuckDB } from "./open-duckdb.js";
import { ReadFailures } from "./read-failures.js";
import { ResultCut, wholeChunks } from "./whole-chunks.js";

/** A statement that waits for a thread is not interrupted before it runs: it is tried until the work has ended. */
const AGAIN_MS = 20;

/** The most memory that the database of a reader takes, in megabytes. */
export const MEMORY_MB = 400;

/**
 * What DuckDB says of a file that is not where it was. Of a path that is no file a sandboxed database asks what is below
 * it, and may not.
 */
const MOVED = /No such file|No files found|Cannot open file|\/\*\*\/\*\.parquet/i;
/** A statement is run again for a pull that moves files; pulls do not come faster than it is read. */
const MOST_RUNS = 3;

/** A logged value as text: a text without its quotes, everything else as its JSON. */
const LOGGED_TEXT = `CASE WHEN starts_with(new_value, '"') THEN ${duckdbDialect.stringOf("new_value")} ELSE new_value END`;

/** Options of a statement. */
export interface StatementOptions {
  /** Makes temporary tables for the statement. */
  readonly prepare?: (connection: DuckDBConnection) => Promise<void>;
  /** Is aborted when the result is not wanted any more. */
  readonly signal?: AbortSignal | undefined;
}

/** A snapshot as SQL tables: one view a resource, over the files that the manifest lists. */
export class Database {
  readonly #instance: DuckDBInstance;
  readonly #root: string;
  readonly #manifest: Manifest;
  /** Whether it has no files but the snapshot's own, so that queries must be `SELECT`s. */
  readonly isSandbox: boolean;
  readonly #failures: ReadFailures;
  #moving: Promise<void> | undefined;

  private constructor(instance: DuckDBInstance, root: string, manifest: Manifest, isSandbox: boolean) {
    this.#instance = instance;
    this.#root = root;
    this.#manifest = manifest;
    this.isSandbox = isSandbox;
    this.#failures = new ReadFailures(root, manifest);
  }

  /**
   * Opens the tables of a snapshot. Tables kept by site also have `row`, the position among all rows of the table in
   * the order of the manifest's files.
   *
   * @param sandbox absolute paths of the only files that it has besides the snapshot's own; not shut in if absent
   * @param settings others than a reader's
   * @throws SnapshotError, as every method does, with the name of the file that cannot be read
   */
  static async open(
    root: string,
    manifest: Manifest,
    sandbox?: readonly string[],
    { spillPath = tmpdir(), ...settings }: Partial<DuckDBSettings> = {},
  ): Promise<Database> {
    const instance = await openDuckDB(":memory:", {
      memoryMb: MEMORY_MB,
      ...settings,
      // Two databases that spill into one folder write over each other's files.
      spillPath: join(spillPath, `siteframe-${randomUUID()}`),
    });
    const database = new Database(instance, root, manifest, sandbox !== undefined);
    try {
      await database.#createViews();
      if (sandbox) {
        const files = [...manifest.files, ...(manifest.gone_files ?? [])];
        const own = files.flatMap(({ path }) => [join(root, path), join(root, movedPath(path))]);
        await database.#lend((connection) => shutIn(connection, [...own, ...sandbox]));
      }
      return database;
    } catch (error) {
      database.close();
      throw await database.#failures.explain(error);
    }
  }

  /** Whether layer features have their values by key, in the column `properties`. */
  get hasProperties(): boolean {
    return isCanonical(this.#manifest);
  }

  /** The views over the files where they stand now: a pull may have moved some since the manifest was read. */
  async #createViews(): Promise<void> {
    const root = this.#root;
    const located = locateFiles(root, this.#manifest);
    const views: string[] = [];
    for (const schema of tableSchemas) {
      const files = located.files.filter(({ resource }) => resource === schema.resource);
      views.push(viewSql(schema.name, schema, root, files));
    }
    views.push(viewSql(GONE_FEATURES, schemaOf("layerFeatures"), root, located.gone_files ?? []));
    await this.#lend(async (connection) => {
      for (const view of views) await connection.run(view);
    });
  }

  /** Runs work that reads files; again with the files at their new places if pulls moved them aside. */
  async #retried<T>(work: () => Promise<T>): Promise<T> {
    for (let runs = 1; ; runs += 1) {
      try {
        return await work();
      } catch (error) {
        await this.#followMoved(error, runs);
      }
    }
  }

  /** Throws the error of work that was run so often, unless files were moved and it may be run again. */
  async #followMoved(error: unknown, runs: number): Promise<void> {
    if (runs === MOST_RUNS || !(error instanceof ResultCut || MOVED.test(String(error)))) throw error;
    await this.#follow();
  }

  /** Finds the files where they stand now. Work under way at the same time may have met the same move. */
  #follow(): Promise<void> {
    this.#moving ??= this.#createViews().finally(() => {
      this.#moving = undefined;
    });
    return this.#moving;
  }

  /**
   * Runs a statement and hands over its result as it comes. Where a pull moves a file aside in the midst of it, it is
   * run again, without what was handed over.
   *
   * @param sql a `SELECT` whose rows come in the same order each time, as they do without `ORDER BY`, too; each chunk has
   * one column more than it
   * @throws the signal's reason once it is aborted
   */
  async *chunks(
    sql: string,
    parameters: readonly SqlParameter[] = [],
    { prepare, signal }: StatementOptions = {},
  ): AsyncGenerator<DuckDBDataChunk, void, undefined> {
    signal?.throwIfAborted();
    const connection = await this.#instance.connect();
    using _ = interruptOn(connection, signal);
    try {
      await prepare?.(connection);
      let given = 0;
      for (let runs = 1; ; runs += 1) {
        try {
          for await (const chunk of wholeChunks(connection, sql, { values: await boundValues(parameters), given })) {
            given += chunk.rowCount;
            yield chunk;
            signal?.throwIfAborted();
          }
          break;
        } catch (error) {
          signal?.throwIfAborted();
          await this.#followMoved(error, runs);
        }
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw await this.#failures.explain(error);
    } finally {
      connection.closeSync();
    }
  }

  /**
   * Runs a statement of somebody else and hands over its result as it comes. The result is made whole first: where
   * DuckDB fails while it hands one over, it ends it early and says nothing.
   *
   * @throws DuckDB's own errors where no file is damaged
   */
  async *answer(sql: string, signal?: AbortSignal): AsyncGenerator<DuckDBDataChunk, void, undefined> {
    signal?.throwIfAborted();
    const connection = await this.#instance.connect();
    using _ = interruptOn(connection, signal);
    try {
      const made = await this.#retried(() => connection.run(`CREATE TEMP TABLE answer AS ${sql}`));
      const result = await connection.stream("FROM answer");
      let left = Number((await made.getRows())[0]?.[0]);
      for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
        left -= chunk.rowCount;
        yield chunk;
        signal?.throwIfAborted();
      }
      signal?.throwIfAborted();
      if (left !== 0) throw new Error(`IO Error: ${left} rows of a result did not come`);
    } catch (error) {
      signal?.throwIfAborted();
      throw await this.#failures.explainQuery(error);
    } finally {
      connection.closeSync();
    }
  }

  /** All rows of a small result. */
  async rows(sql: string, parameters: readonly SqlParameter[] = [], signal?: AbortSignal): Promise<DuckDBValue[][]> {
    return this.use(async (connection) => (await connection.run(sql, await boundValues(parameters))).getRows(), signal);
  }

  /** Runs statements. */
  async run(sql: string): Promise<void> {
    await this.use(async (connection) => void (await connection.run(sql)));
  }

  /** Lends a connection: each has its own statement under way. Work that met a file on the move is done again. */
  async use<T>(work: (connection: DuckDBConnection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await this.#retried(() => this.#lend(work, signal));
    } catch (error) {
      signal?.throwIfAborted();
      throw await this.#failures.explain(error);
    }
  }

  /**
   * Lends a connection for a statement of somebody else.
   *
   * @throws DuckDB's own errors where no file is damaged
   */
  async useForQuery<T>(work: (connection: DuckDBConnection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await this.#retried(() => this.#lend(work, signal));
    } catch (error) {
      signal?.throwIfAborted();
      throw await this.#failures.explainQuery(error);
    }
  }

  /** Makes something of what was read; what cannot be made of it is taken for damage. */
  async parsed<T>(make: () => T): Promise<T> {
    try {
      return make();
    } catch (error) {
      throw await this.#failures.explain(error);
    }
  }

  async #lend<T>(work: (connection: DuckDBConnection) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    const connection = await this.#instance.connect();
    using _ = interruptOn(connection, signal);
    try {
      return await work(connection);
    } finally {
      connection.closeSync();
    }
  }

  close(): void {
    this.#instance.closeSync();
  }
}

/**
 * Interrupts what a connection does, and what it does next, once a signal is aborted; until the returned object is
 * disposed of.
 */
function interruptOn(connection: DuckDBConnection, signal: AbortSignal | undefined): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    timer = setTimeout(interrupt, AGAIN_MS);
  };
  // One that was aborted before tells nobody.
  if (signal?.aborted) interrupt();
  signal?.addEventListener("abort", interrupt, { once: true });
  return {
    [Symbol.dispose]() {
      signal?.removeEventListener("abort", interrupt);
      clearTimeout(timer);
    },
  };
}

async function boundValues(parameters: readonly SqlParameter[]): Promise<DuckDBValue[]> {
  const { listValue } = await loadDuckDB();
  return parameters.map((value) => (typeof value === "string" ? value : listValue(value)));
}

function viewSql(name: string, schema: TableSchema, root: string, files: readonly SnapshotFile[]): string {
  if (files.length === 0) {
    // DuckDB reads what GeoParquet calls a geometry as its own type.
    const columns = schema.columns.map(
      ({ name, type }) => `"${name}" ${type === WKB ? "GEOMETRY('OGC:CRS84')" : type}`,
    );
    const extra =
      name === GONE_FEATURES
        ? ", gone_at TIMESTAMPTZ"
        : schema.resource === "propertyChanges"
          ? ", site_id BIGINT, value VARCHAR"
          : "";
    return `CREATE TABLE IF NOT EXISTS ${name} (${columns.join()}, record_bytes INTEGER, record VARCHAR${extra}, row BIGINT)`;
  }
  const paths = sqlList(files.map(({ path }) => join(root, path)));
  const create = `CREATE OR REPLACE VIEW ${name} AS`;
  if (!schema.bySite) return `${create} FROM read_parquet(${paths}, hive_partitioning = false)`;
  const starts = firstRows(files.map(({ rows }) => rows));
  const value = schema.resource === "propertyChanges" ? `${LOGGED_TEXT} AS value,` : "";
  return `${create} SELECT *, ${value} file_row_number + list_value(${starts.join()})[file_index::BIGINT + 1] AS row
    FROM read_parquet(${paths}, hive_partitioning = true, hive_types = {'site_id': BIGINT})`;
}

/** The position of each file's first row when the files stand one after the other. */
export function firstRows(counts: readonly number[]): number[] {
  let next = 0;
  return counts.map((count) => {
    const first = next;
    next += count;
    return first;
  });
}
