import type { DuckDBConnection, DuckDBDataChunk, DuckDBUUIDVector } from "@duckdb/node-api";
import { EngineError, SiteframeError } from "../../core/errors.js";
import { UUID_WORDS } from "../../core/uuid.js";
import type { DuckDB } from "../../history/questions/engine/duckdb.js";
import type {
  Engine,
  EngineQueryOptions,
  EngineRows,
  EngineStoreOptions,
} from "../../history/questions/engine/engine.js";
import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import { replaceFile } from "../../tables/export/replace-file.js";
import { withoutValues } from "../../tables/sql/query-error.js";
import { sqlText, TO_PARQUET } from "../../tables/sql/sql-text.js";
import { Database, MEMORY_MB } from "../database/database.js";
import type { LazyDatabase } from "../database/lazy-database.js";
import type { Manifest } from "../format/manifest.js";
import type { FileFetcher } from "../remote/remote-folder.js";

const UUID_BYTES = 16;
/** DuckDB stores a UUID as a signed number with its first bit flipped, so that both have the same order. */
const SIGN = 0x8000_0000;

const NAME = "DuckDB";
/** Cells per megabyte: the largest aggregates need half a kilobyte per cell; the rest is for everything else. */
const CELLS_PER_MB = 1000;

/** DuckDB over the files of a snapshot. */
export class DuckDBEngine implements Engine {
  readonly name = NAME;
  readonly dialect = duckdbDialect;
  readonly keepsOrder = true;
  readonly cellsAtOnce: number;
  readonly #database: Pick<LazyDatabase, "get" | "close">;
  #isClosed = false;

  private constructor(database: Pick<LazyDatabase, "get" | "close">, memoryMb: number) {
    this.#database = database;
    this.cellsAtOnce = memoryMb * CELLS_PER_MB;
  }

  /** An engine over a database that the caller closes. */
  static over(database: LazyDatabase): DuckDBEngine {
    return new DuckDBEngine(database, MEMORY_MB);
  }

  /** @throws SnapshotError if a file cannot be read */
  static async open(
    root: string,
    manifest: Manifest,
    choice: DuckDB,
    fetcher?: FileFetcher | undefined,
  ): Promise<DuckDBEngine> {
    const { memoryMb, tempDirectory: spill, threads } = choice;
    const settings = {
      fetcher,
      memoryMb,
      ...(spill === undefined ? {} : { spillPath: spill }),
      ...(threads === undefined ? {} : { threads }),
    };
    const database = await Database.open(root, manifest, settings);
    return new DuckDBEngine({ get: async () => database, close: async () => database.close() }, memoryMb);
  }

  async *query(sql: string, { signal }: EngineQueryOptions = {}): AsyncGenerator<EngineRows, void, undefined> {
    this.#checkOpen();
    try {
      for await (const chunk of (await this.#database.get()).answer(sql, signal)) {
        const columns = Array.from({ length: chunk.columnCount }, (_, column) => chunkValues(chunk, column));
        yield { rowCount: chunk.rowCount, columns };
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw engineError(error);
    }
  }

  async store(
    sql: string | Iterable<string>,
    target: string,
    { signal, afterwards = [] }: EngineStoreOptions = {},
  ): Promise<void> {
    this.#checkOpen();
    try {
      const database = await this.#database.get();
      await replaceFile(target, (path) =>
        database.useForQuery(async (connection) => {
          const to = `TO ${sqlText(path)} (${TO_PARQUET}, USE_TMP_FILE false)`;
          if (typeof sql === "string") return void (await connection.run(`COPY (${sql}) ${to}`));
          await storeParts(connection, sql);
          const last = afterwards.at(-1);
          // Steps run one after the other, since each needs all of the memory.
          for (const step of afterwards.slice(0, -1)) {
            await connection.run(`CREATE OR REPLACE TEMP TABLE made AS ${step("stored")}`);
            await connection.run("DROP TABLE stored; ALTER TABLE made RENAME TO stored");
          }
          await connection.run(`COPY ${last ? `(${last("stored")})` : "stored"} ${to}`);
        }, signal),
      );
    } catch (error) {
      signal?.throwIfAborted();
      throw engineError(error);
    }
  }

  async close(): Promise<void> {
    if (!this.#isClosed) await this.#database.close();
    this.#isClosed = true;
  }

  #checkOpen(): void {
    if (!this.#isClosed) return;
    throw new EngineError(`${NAME} was closed with its lazy history.`, NAME, {
      hint: "Open a new one: snapshot.lazyHistory({ … }).",
    });
  }
}

/** The values of a column of a result in DuckDB's form, but UUIDs as their words. */
function chunkValues(chunk: DuckDBDataChunk, column: number): ArrayLike<unknown> {
  const vector = chunk.getColumnVector(column);
  return isUuids(vector) ? uuidWords(vector) : chunk.getColumnValues(column);
}

function isUuids(vector: { readonly type: unknown }): vector is DuckDBUUIDVector {
  return String(vector.type) === "UUID";
}

/** Reads the bytes of UUIDs, which are not public, since strings or objects take ten times longer. */
function uuidWords(vector: DuckDBUUIDVector): Uint32Array {
  const bytes = vector["dataView"];
  const validity = vector["validity"];
  const words = new Uint32Array(vector.itemCount * UUID_WORDS);
  for (let item = 0; item < vector.itemCount; item += 1) {
    if (!validity.itemValid(item)) continue;
    const [from, to] = [item * UUID_BYTES, item * UUID_WORDS];
    words[to] = bytes.getUint32(from + 12, true) ^ SIGN;
    words[to + 1] = bytes.getUint32(from + 8, true);
    words[to + 2] = bytes.getUint32(from + 4, true);
    words[to + 3] = bytes.getUint32(from, true);
  }
  return words;
}

/** Stores the rows of all statements in the table `stored`. */
async function storeParts(connection: DuckDBConnection, parts: Iterable<string>): Promise<void> {
  let isFirst = true;
  for (const part of parts) {
    await connection.run(`${isFirst ? "CREATE OR REPLACE TEMP TABLE stored AS" : "INSERT INTO stored"} ${part}`);
    isFirst = false;
  }
}

/** The error of a failed statement. */
function engineError(error: unknown): unknown {
  // Errors about files have their own hints; the others are DuckDB's.
  if (error instanceof SiteframeError || (error instanceof Error && "code" in error)) return error;
  const [words = ""] = (error instanceof Error ? error.message : String(error)).split("\n", 1);
  if (/^Out of Memory/i.test(words)) {
    return new EngineError(`${NAME} ran out of memory: ${words}.`, NAME, {
      problem: "memory",
      cause: error,
      hint: 'Increase the memory: duckdb({ memory: "2GB" }), or select fewer features or columns.',
    });
  }
  const redacted = withoutValues(words, "");
  const cause = redacted.isWhole ? { cause: error } : {};
  return new EngineError(`${NAME} failed: ${redacted.text}.`, NAME, { problem: "failed", ...cause });
}
