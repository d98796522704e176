import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance, DuckDBValue } from "@duckdb/node-api";
import type { SqlParameter } from "../../api/select-records.js";
import { cellSignal } from "../../core/abort-signal.js";
import { interruptOn, loadDuckDB } from "../../tables/sql/load-duckdb.js";
import { shutIn } from "../../tables/sql/sandbox.js";
import type { Manifest } from "../format/manifest.js";
import { fileBytes } from "../format/snapshot-paths.js";
import type { FileFetcher } from "../remote/remote-folder.js";
import { type DuckDBSettings, openDuckDB } from "./open-duckdb.js";
import { lacksMemory, ReadFailures } from "./read-failures.js";
import { lackOf, type TableFiles, tableFiles, viewOf } from "./table-views.js";
import { ResultCut, streamChunks, wholeChunks } from "./whole-chunks.js";

/** Maximum memory of a reader's database, in megabytes. */
export const MEMORY_MB = 400;

/** Maximum repeats for incomplete results: a missing file may have arrived for another statement. */
const MOST_CUTS = 3;

/** Count of sites whose files are fetched one by one on demand; after that, each fetch doubles the count. */
const ONE_BY_ONE = 4;

/** Options for opening a database. */
export interface DatabaseOptions extends Partial<DuckDBSettings> {
  /** Absolute paths of the only files that statements can read besides the snapshot's own. Default: no restriction. */
  readonly sandbox?: readonly string[] | undefined;
  /** Fetches files that are not in the folder yet. Default: all files are there. */
  readonly fetcher?: FileFetcher | undefined;
}

/** Options of a statement. */
export interface StatementOptions {
  /** Creates temporary tables for the statement. */
  readonly prepare?: (connection: DuckDBConnection) => Promise<void>;
  /** Signal that the result is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

/** A snapshot as SQL tables: one view per resource, over the files in the manifest. */
export class Database {
  readonly #instance: DuckDBInstance;
  readonly #root: string;
  readonly #manifest: Manifest;
  readonly #tables: readonly TableFiles[];
  /** Whether only the snapshot's own files are readable, so that queries must be `SELECT`s. */
  readonly isSandbox: boolean;
  readonly #failures: ReadFailures;
  readonly #fetcher: FileFetcher | undefined;
  /** Statement that restores the initial thread count. */
  readonly #allThreads: string;
  #renewal: Promise<void> | undefined;

  private constructor(instance: DuckDBInstance, root: string, manifest: Manifest, options: DatabaseOptions) {
    this.#instance = instance;
    this.#root = root;
    this.#manifest = manifest;
    this.#tables = tableFiles(manifest);
    this.isSandbox = options.sandbox !== undefined;
    this.#fetcher = options.fetcher;
    this.#allThreads =
      options.threads === undefined ? "RESET GLOBAL threads" : `SET GLOBAL threads = ${options.threads}`;
    this.#failures = new ReadFailures(root, manifest, options.fetcher !== undefined);
  }

  /**
   * Opens the tables of a snapshot. Tables that are stored by site also have `row`, the index among all rows of the
   * table in the order of the manifest's files.
   *
   * @param options settings that differ from a reader's, and the source of its files
   * @throws SnapshotError with the name of the unreadable file, as all methods do
   */
  static async open(
    root: string,
    manifest: Manifest,
    { sandbox, fetcher, spillPath = tmpdir(), ...settings }: DatabaseOptions = {},
  ): Promise<Database> {
    const instance = await openDuckDB(":memory:", {
      memoryMb: MEMORY_MB,
      ...settings,
      // Two databases with the same spill folder would overwrite each other's files.
      spillPath: join(spillPath, `siteframe-${randomUUID()}`),
    });
    const database = new Database(instance, root, manifest, { ...settings, sandbox, fetcher });
    try {
      await database.#createViews();
      if (sandbox) {
        const paths = database.#tables.flatMap(({ files }) => files.map(({ path }) => join(root, path)));
        await database.#lend((connection) => shutIn(connection, [...paths, ...sandbox]));
      }
      return database;
    } catch (error) {
      database.close();
      throw await database.#failures.explain(error);
    }
  }

  /** The semantic types of its features from the manifest; undefined if only the files contain them. */
  get semanticTypes(): readonly string[] | undefined {
    const types = new Set<string>();
    for (const { resource, semantic_types } of this.#manifest.files) {
      if (resource !== "layerFeatures") continue;
      if (!semantic_types) return undefined;
      for (const type of semantic_types) types.add(type);
    }
    return [...types];
  }

  /** Creates the views over the existing files. */
  async #createViews(): Promise<void> {
    const paths = this.#tables.flatMap(({ files }) => files.map(({ path }) => path));
    // Also rejects a folder that has become a link since the snapshot was opened.
    const missing = new Set(paths.filter((path) => fileBytes(this.#root, path) === undefined));
    const isLacking = this.#fetcher && ((path: string) => missing.has(path));
    const views = this.#tables.map((table) => viewOf(table, this.#root, isLacking));
    await this.#lend(async (connection) => {
      for (const view of views) await connection.run(view);
    });
  }

  /**
   * Runs work that reads files. Repeats it after fetching missing files, and on one thread if memory was insufficient:
   * each thread has buffers as wide as the result.
   */
  async #retried<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const again = this.#fetching(signal);
    let isOnOneThread = false;
    try {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          // The settings of a sandbox are locked.
          if (this.isSandbox || isOnOneThread || !lacksMemory(error)) await again(error);
          else {
            isOnOneThread = true;
            await this.#set("SET GLOBAL threads = 1");
          }
        }
      }
    } finally {
      if (isOnOneThread) await this.#set(this.#allThreads);
    }
  }

  async #set(setting: string): Promise<void> {
    await this.#lend(async (connection) => void (await connection.run(setting)));
  }

  /**
   * Returns an error handler for one statement: fetches missing files, so that the statement can be repeated; throws
   * other errors.
   */
  #fetching(signal: AbortSignal | undefined): (error: unknown) => Promise<void> {
    let cuts = 0;
    let lacks = 0;
    return async (error) => {
      const lack = lackOf(error);
      if (!this.#fetcher || !(lack || error instanceof ResultCut)) throw error;
      if (lack) {
        lacks += 1;
        await this.#bring(this.#fetcher, lack, lacks, signal);
      } else {
        cuts += 1;
        if (cuts === MOST_CUTS) throw error;
      }
      await this.#renewViews();
    };
  }

  /** Fetches the missing files of a table, with more and more others if a statement needs all. */
  async #bring(
    fetcher: FileFetcher,
    { table, site }: { readonly table: string; readonly site: string },
    lacks: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const files = this.#tables.find(({ name }) => name === table)?.files ?? [];
    const lacking = files.filter(({ path }) => fileBytes(this.#root, path) === undefined);
    const sites = [...new Set([site, ...lacking.map((file) => String(file.site_id))])];
    const siteSet = new Set(sites.slice(0, 2 ** Math.max(0, lacks - ONE_BY_ONE)));
    const brought = lacking.filter((file) => siteSet.has(String(file.site_id)));
    // The files may have arrived meanwhile for another statement.
    await fetcher.fetch(brought, signal);
  }

  /** Creates the views again, once for all waiting statements. */
  #renewViews(): Promise<void> {
    this.#renewal ??= this.#createViews().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /**
   * Runs a statement and yields its result in chunks. If files are missing, they are fetched, and the statement is
   * repeated without the rows that were already yielded.
   *
   * @param sql a `SELECT` with a stable row order, which results without `ORDER BY` have, too; each chunk has one more
   * column
   * @throws the signal's reason after it is aborted
   */
  async *chunks(
    sql: string,
    parameters: readonly SqlParameter[] = [],
    { prepare, signal = cellSignal() }: StatementOptions = {},
  ): AsyncGenerator<DuckDBDataChunk, void, undefined> {
    signal?.throwIfAborted();
    const connection = await this.#instance.connect();
    using _ = interruptOn(connection, signal);
    try {
      await prepare?.(connection);
      let given = 0;
      const again = this.#fetching(signal);
      for (;;) {
        try {
          for await (const chunk of wholeChunks(connection, sql, { values: await boundValues(parameters), given })) {
            given += chunk.rowCount;
            yield chunk;
            signal?.throwIfAborted();
          }
          break;
        } catch (error) {
          signal?.throwIfAborted();
          await again(error);
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
   * Runs a user's statement and yields its result in chunks. The result is completed first, since DuckDB ends a result
   * early without an error if it fails while streaming.
   *
   * @throws DuckDB's own errors if no file is damaged
   */
  async *answer(sql: string, signal = cellSignal()): AsyncGenerator<DuckDBDataChunk, void, undefined> {
    signal?.throwIfAborted();
    const connection = await this.#instance.connect();
    using _ = interruptOn(connection, signal);
    try {
      const made = await this.#retried(() => connection.run(`CREATE TEMP TABLE answer AS ${sql}`), signal);
      let left = Number((await made.getRows())[0]?.[0]);
      for await (const chunk of streamChunks(connection, "FROM answer")) {
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
  async rows(sql: string, parameters: readonly SqlParameter[] = [], signal = cellSignal()): Promise<DuckDBValue[][]> {
    return this.use(async (connection) => (await connection.run(sql, await boundValues(parameters))).getRows(), signal);
  }

  /** Runs statements. */
  async run(sql: string): Promise<void> {
    await this.use(async (connection) => void (await connection.run(sql)));
  }

  /** Passes a separate connection to `work`. Work that lacks files is repeated after they are fetched. */
  async use<T>(work: (connection: DuckDBConnection) => Promise<T>, signal = cellSignal()): Promise<T> {
    try {
      return await this.#retried(() => this.#lend(work, signal), signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw await this.#failures.explain(error);
    }
  }

  /**
   * Passes a connection for a user's statement.
   *
   * @throws DuckDB's own errors if no file is damaged
   */
  async useForQuery<T>(work: (connection: DuckDBConnection) => Promise<T>, signal = cellSignal()): Promise<T> {
    try {
      return await this.#retried(() => this.#lend(work, signal), signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw await this.#failures.explainQuery(error);
    }
  }

  /** Returns the result of `make`; its errors count as damage. */
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

async function boundValues(parameters: readonly SqlParameter[]): Promise<DuckDBValue[]> {
  const { listValue } = await loadDuckDB();
  return parameters.map((value) => (typeof value === "string" ? value : listValue(value)));
}
