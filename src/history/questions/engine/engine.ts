import type { Dialect } from "../sql/dialect/dialect.js";

/** Some rows of a result, by the positions of its columns. */
export interface EngineRows {
  /** How many there are. */
  readonly rowCount: number;
  /**
   * The values of each column: `VARCHAR` as text, `BOOLEAN` as boolean, `DOUBLE` and `INTEGER` as number, null. Of other
   * integers, which statements cast to `DOUBLE`, some engines give numbers where those are exact, and others bigints. A
   * `UUID` is a text, or a column of them is a `Uint32Array` of their words, four each; zeros where there is none.
   */
  readonly columns: readonly ArrayLike<unknown>[];
}

/** Options of a statement. */
export interface EngineQueryOptions {
  /** Once it is aborted, the engine is told to cancel the statement, and the call throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a result that is stored. */
export interface EngineStoreOptions extends EngineQueryOptions {
  /**
   * What makes the result of the rows of all statements: SELECTs from a table, by its name, each from what the one before
   * made.
   */
  readonly afterwards?: readonly ((table: string) => string)[] | undefined;
}

/**
 * Something that answers SQL over the tables of a snapshot.
 *
 * Statements name the tables as the dialect does. What fails is an `EngineError`, in one piece and once; damage to a
 * snapshot's file is a `SnapshotError`.
 */
export interface Engine {
  /** What errors and provenance call it: `DuckDB`, `Trino at http://localhost:8080`. Never holds a key. */
  readonly name: string;
  /** @internal The words of its SQL. */
  readonly dialect: Dialect;
  /**
   * How many cells (features times columns) a statement should be about, so that it fits into memory; any number if
   * absent. Questions about more are asked in parts, feature by feature.
   */
  readonly cellsAtOnce?: number | undefined;
  /** Whether what it stores keeps the order of its rows, as files do and tables do not. */
  readonly keepsOrder?: boolean;
  /**
   * Runs a `SELECT` and gives its result as it comes. To stop asking for more cancels the statement.
   *
   * @param sql the statement, without a semicolon
   */
  query(sql: string, options?: EngineQueryOptions): AsyncIterable<EngineRows>;
  /**
   * Stores the result of a `SELECT` where the engine keeps results: a Parquet file, a table. It is there whole or not at
   * all.
   *
   * @param sql several where there are too many cells: their results one after the other
   * @param target path of the file, or name of the table
   * @param options `afterwards` only where the engine keeps the order of rows
   */
  store(sql: string | Iterable<string>, target: string, options?: EngineStoreOptions): Promise<void>;
  /** Ends what is under way, and frees what the engine holds. */
  close(): Promise<void>;
}
