import { nameCall, tellMembers } from "../../core/forgotten-await.js";
import type { DialectName } from "../questions/sql/dialect/dialect.js";

/** Options of a question and of the methods of its answer. */
export interface LazyOptions {
  /**
   * Signal that cancels the statement in the engine. The call then rejects with the signal's reason. Default in a notebook:
   * that of the cell.
   */
  readonly signal?: AbortSignal | undefined;
}

/** The answer to a question in each form. */
export interface LazyAnswer<T> {
  table(): Promise<T>;
  writeTo(target: string, signal: AbortSignal | undefined): Promise<void>;
  toSQL(dialect: DialectName | undefined): Promise<string>;
}

/**
 * The answer to a question, as a table, a stored result or SQL. Await it to load the table into this process, use
 * `writeTo()` to store it in the engine, or `toSQL()` to read its statement. No request is sent before one of these.
 *
 * @example
 * ```ts
 * const lazy = await snapshot.lazyHistory({ semantic_type: "TRENCHES" });
 * const june = lazy.asOf("2024-06-30");
 * (await june).groupby("STATUS").count()
 * ```
 */
export class LazyTable<T> implements PromiseLike<T> {
  static {
    tellMembers(LazyTable.prototype);
  }

  readonly #answer: LazyAnswer<T>;
  #table: Promise<T> | undefined;

  /**
   * @internal
   * @param call the call as users write it: `questions.asOf()`
   */
  constructor(call: string, answer: LazyAnswer<T>) {
    this.#answer = answer;
    nameCall(call, this);
  }

  /**
   * Loads the answer into this process, once. After a failure, the next call tries again.
   *
   * @param onFulfilled receives the table
   * @param onRejected receives the error
   */
  // biome-ignore lint/suspicious/noThenProperty: to await an answer is to bring it here, as with a history.
  then<A = T, B = never>(
    onFulfilled?: ((table: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#table ??= this.#answer.table().catch((error: unknown) => {
      this.#table = undefined;
      throw error;
    });
    return this.#table.then(onFulfilled, onRejected);
  }

  /**
   * Handles errors, as of a promise.
   *
   * @param onRejected receives the error
   */
  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, onRejected);
  }

  /**
   * Runs a function after success or failure, as of a promise.
   *
   * @param onFinally is called when the answer has been loaded or has failed
   */
  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onFinally);
  }

  /**
   * Stores the answer in the engine, without loading it into this process: as a Parquet file with DuckDB, as a table
   * with Trino.
   *
   * The result is self-contained: it has the base fields next to the properties. Columns that hold only numbers or only
   * booleans keep that type, instants are instants, and other values are text. Hive catalogs of Trino have no exact
   * instants: there they are `BIGINT`, microseconds since 1970. A failed call leaves no result, but a table written by
   * several statements grows until it is complete.
   *
   * @param target path of the file, or name of the table
   * @example
   * ```ts
   * const lazy = await snapshot.lazyHistory({ semantic_type: "TRENCHES" });
   * await lazy.asOf("2024-06-30").writeTo("june.parquet");
   * ```
   * @throws EngineError
   */
  writeTo(target: string, options: LazyOptions = {}): Promise<void> {
    return this.#answer.writeTo(target, options.signal);
  }

  /**
   * Returns the SQL statement whose result `writeTo()` stores, for the tables of the snapshot as `siteframe ddl`
   * declares them.
   *
   * @param dialect default: the dialect of the engine
   * @example
   * ```ts
   * const lazy = await snapshot.lazyHistory({ semantic_type: "TRENCHES" });
   * const statement = await lazy.asOf("2024-06-30").toSQL("trino");
   * statement.slice(0, 60)
   * ```
   */
  toSQL(dialect?: DialectName): Promise<string> {
    return this.#answer.toSQL(dialect);
  }
}
