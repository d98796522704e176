import type { Dialect } from "../sql/dialect/dialect.js";

/** Some rows of a result, by the positions of its columns. */
export interface EngineRows {
  /** Number of rows. */
  readonly rowCount: number;
  /**
   * The values of each column: `VARCHAR` as string, `BOOLEAN` as boolean, `DOUBLE` and `INTEGER` as number, or null.
   * Statements cast other integers to `DOUBLE`; some engines return them as numbers if exact, others as bigints. A
   * `UUID` is a string, or a column of UUIDs is a `Uint32Array` with four words each, all zero for null.
   */
  readonly columns: readonly ArrayLike<unknown>[];
}

/** Options of a statement. */
export interface EngineQueryOptions {
  /** Signal that cancels the statement in the engine. The call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a result that is stored. */
export interface EngineStoreOptions extends EngineQueryOptions {
  /**
   * Builds the final result from the rows of all statements: SELECTs from a table, given its name, each over the result
   * of the previous one.
   */
  readonly afterwards?: readonly ((table: string) => string)[] | undefined;
}

/**
 * An engine that runs SQL over the tables of a snapshot.
 *
 * Statements use the table names of the dialect. Failures are reported once, as an `EngineError`; damaged files of the
 * snapshot are a `SnapshotError`.
 */
export interface Engine {
  /** Name for errors and provenance: `DuckDB`, `Trino at http://localhost:8080`. Never contains a key. */
  readonly name: string;
  /** @internal The SQL dialect. */
  readonly dialect: Dialect;
  /**
   * Number of cells (features times columns) per statement that fit into memory. Default: unlimited. Larger questions
   * are split by features.
   */
  readonly cellsAtOnce?: number | undefined;
  /** Whether stored results keep the order of rows, as files do and tables do not. */
  readonly keepsOrder?: boolean;
  /**
   * Runs a `SELECT` and returns its result in batches. Ending the iteration cancels the statement.
   *
   * @param sql the statement, without a semicolon
   */
  query(sql: string, options?: EngineQueryOptions): AsyncIterable<EngineRows>;
  /**
   * Stores the result of a `SELECT` in the engine: a Parquet file or a table. A failed call leaves no result.
   *
   * @param sql several statements if there are too many cells: their results are stored one after the other
   * @param target path of the file, or name of the table
   * @param options `afterwards` requires an engine that keeps the order of rows
   */
  store(sql: string | Iterable<string>, target: string, options?: EngineStoreOptions): Promise<void>;
  /** Cancels running statements and frees the resources of the engine. */
  close(): Promise<void>;
}
