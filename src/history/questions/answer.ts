import { nameCall, tellMembers } from "../../core/forgotten-await.js";
import type { DialectName } from "./sql/dialect/dialect.js";

/** Options of a question and of what is done with its answer. */
export interface QuestionOptions {
  /** Once it is aborted, the engine is told to cancel, and the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** How an answer comes. */
export interface AnswerParts<T> {
  table(): Promise<T>;
  copy(target: string, signal: AbortSignal | undefined): Promise<void>;
  sql(dialect: DialectName | undefined): Promise<string>;
}

/**
 * The answer to a question. To `await` it brings it into this process as a table; `copy()` leaves it with the engine; and
 * `sql()` is its text. Nothing is asked before one of these.
 */
export class Answer<T> implements PromiseLike<T> {
  static {
    tellMembers(Answer.prototype);
  }

  readonly #parts: AnswerParts<T>;
  #table: Promise<T> | undefined;

  /**
   * @internal
   * @param call as users write it: `questions.asOf()`
   */
  constructor(call: string, parts: AnswerParts<T>) {
    this.#parts = parts;
    nameCall(call, this);
  }

  /**
   * Brings the answer into this process, once.
   *
   * @param onFulfilled takes the table
   * @param onRejected takes what went wrong
   */
  // biome-ignore lint/suspicious/noThenProperty: to await an answer is to bring it here, as with a history.
  then<A = T, B = never>(
    onFulfilled?: ((table: T) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#once().then(onFulfilled, onRejected);
  }

  /**
   * Like that of a promise.
   *
   * @param onRejected takes what went wrong
   */
  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.#once().catch(onRejected);
  }

  /**
   * Like that of a promise.
   *
   * @param onFinally is called when the answer is there, or what went wrong is known
   */
  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.#once().finally(onFinally);
  }

  /**
   * Stores the answer where the engine keeps results, without bringing it here: with DuckDB a Parquet file, with Trino a
   * table. It is complete by itself: base fields beside the properties, numbers and booleans where a column holds nothing
   * else, otherwise text, instants as such. A Hive catalog of Trino has no exact instants: there they are `BIGINT`,
   * microseconds since 1970. It is there whole or not at all; a table of several statements grows until it is.
   *
   * @param target path of the file, or name of the table
   * @throws EngineError
   */
  copy(target: string, options: QuestionOptions = {}): Promise<void> {
    return this.#parts.copy(target, options.signal);
  }

  /**
   * The text of SQL whose result `copy()` stores, over the tables of the snapshot as `siteframe ddl` declares them.
   *
   * @param dialect that of the engine if absent
   */
  sql(dialect?: DialectName): Promise<string> {
    return this.#parts.sql(dialect);
  }

  async #once(): Promise<T> {
    this.#table ??= this.#parts.table();
    return this.#table;
  }
}
