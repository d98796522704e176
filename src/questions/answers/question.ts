import type { Scope } from "../sql/scope.js";
import type { ValueKind } from "../sql/shown-value.js";
import type { SortedStatement } from "../sql/sorted-statement.js";

/** A question whose arguments are known to be right. */
export interface Question<T> {
  /** Its answer as a table in this process. */
  table(signal: AbortSignal | undefined): Promise<T>;
  /**
   * The statement whose result is the same table, complete by itself.
   *
   * @param scope in the dialect of the engine that is to run it
   * @param kinds of the scope's columns
   */
  statement(scope: Scope, kinds: readonly ValueKind[], signal: AbortSignal | undefined): string | Promise<string>;
  /**
   * How many rows an engine has to keep for a feature while it answers the statement, about; undefined where it cannot
   * be asked feature by feature.
   */
  readonly cellsPerFeature?: number | undefined;
  /**
   * The same where it is asked in parts that do not simply follow one another: with a column more, by which all rows
   * are sorted.
   */
  readonly partStatement?: (scope: Scope, kinds: readonly ValueKind[]) => SortedStatement;
  /** Whether the result has persons in it. */
  readonly namesPersons?: boolean;
}
