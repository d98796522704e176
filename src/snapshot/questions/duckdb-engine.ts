import { replaceFile } from "../../columns/export/replace-file.js";
import { quotedName } from "../../columns/export/sql-identifier.js";
import { EngineError, SiteframeError } from "../../core/errors.js";
import type { DuckDB } from "../../questions/engine/duckdb.js";
import type { Engine, EngineQueryOptions, EngineRows, EngineStoreOptions } from "../../questions/engine/engine.js";
import { duckdbDialect } from "../../questions/sql/duckdb-dialect.js";
import { Database, MEMORY_MB } from "../database/database.js";
import type { LazyDatabase } from "../database/lazy-database.js";
import type { Manifest } from "../format/manifest.js";
import { sqlText } from "../format/sql-text.js";

const NAME = "DuckDB";
/** What the largest aggregates take, a cell, is half a kilobyte; the rest is for all else. */
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

  /** Over a database that somebody else closes. */
  static over(database: LazyDatabase): DuckDBEngine {
    return new DuckDBEngine(database, MEMORY_MB);
  }

  /** @throws SnapshotError if a file cannot be read */
  static async open(root: string, manifest: Manifest, choice: DuckDB): Promise<DuckDBEngine> {
    const { memoryMb, spill, threads } = choice;
    const settings = {
      memoryMb,
      ...(spill === undefined ? {} : { spillPath: spill }),
      ...(threads === undefined ? {} : { threads }),
    };
    const database = await Database.open(root, manifest, undefined, settings);
    return new DuckDBEngine({ get: async () => database, close: async () => database.close() }, memoryMb);
  }

  async *query(sql: string, { signal }: EngineQueryOptions = {}): AsyncGenerator<EngineRows, void, undefined> {
    this.#checkOpen();
    try {
      for await (const chunk of (await this.#database.get()).answer(sql, signal)) {
        const columns = Array.from({ length: chunk.columnCount }, (_, column) => chunk.getColumnValues(column));
        yield { rowCount: chunk.rowCount, columns };
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw engineError(error);
    }
  }

  async store(
    sql: string | readonly string[],
    target: string,
    { signal, sortedBy }: EngineStoreOptions = {},
  ): Promise<void> {
    this.#checkOpen();
    const [first = "", ...more] = typeof sql === "string" ? [sql] : sql;
    try {
      const database = await this.#database.get();
      await replaceFile(target, (path) =>
        database.useForQuery(async (connection) => {
          const to = `TO ${sqlText(path)} (FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false)`;
          if (more.length === 0) return void (await connection.run(`COPY (${first}) ${to}`));
          await connection.run(`CREATE OR REPLACE TEMP TABLE stored AS ${first}`);
          for (const part of more) await connection.run(`INSERT INTO stored ${part}`);
          await connection.run(`COPY ${sortedBy === undefined ? "stored" : sortedRows(sortedBy)} ${to}`);
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
    throw new EngineError(`${NAME} was closed with the questions that it answered.`, NAME, {
      hint: "Open others: snapshot.questions().",
    });
  }
}

function sortedRows(column: string): string {
  const name = quotedName(column);
  return `(SELECT * EXCLUDE (${name}) FROM stored ORDER BY ${name}, rowid)`;
}

/** What it means that a statement failed. */
function engineError(error: unknown): unknown {
  // Files: their errors say what to do. What is left is DuckDB's own.
  if (error instanceof SiteframeError || (error instanceof Error && "code" in error)) return error;
  const [words = ""] = (error instanceof Error ? error.message : String(error)).split("\n", 1);
  if (/^Out of Memory/i.test(words)) {
    return new EngineError(`${NAME} ran out of memory: ${words}.`, NAME, {
      problem: "memory",
      cause: error,
      hint: 'Give it more: duckdb({ memory: "2GB" }), or ask about fewer features or columns.',
    });
  }
  return new EngineError(`${NAME} failed at a question: ${words}.`, NAME, { problem: "failed", cause: error });
}
