import type { Finding } from "../../../../core/finding.js";
import type { ValueKind } from "../../sql/cell-values.js";
import type { PartStatement, Scope } from "../../sql/scope.js";

/**
 * Finds out what the values of some of the scope's columns are, for which the engine reads all of them. The answer is by
 * the columns' places; undefined for those that nobody has asked about.
 */
export type AskKinds = (columns: readonly number[]) => Promise<readonly (ValueKind | undefined)[]>;

/** A question whose arguments are known to be right. */
export interface Question<T> {
  /** Its answer as a table in this process. */
  table(signal: AbortSignal | undefined): Promise<T>;
  /**
   * The statement whose result is the same table, complete by itself.
   *
   * @param scope in the dialect of the engine that is to run it
   */
  statement(scope: Scope, kinds: AskKinds, signal: AbortSignal | undefined): string | Promise<string>;
  /** The same as several statements, where the text of one may be too long; made one after the other. */
  readonly statements?: (scope: Scope, signal: AbortSignal | undefined) => Promise<Iterable<string>>;
  /**
   * How many rows an engine has to keep for a feature while it answers the statement, about; undefined where it cannot
   * be asked feature by feature.
   */
  readonly cellsPerFeature?: number | undefined;
  /** The same in parts, where their rows do not simply follow one another and the engine keeps the order of rows. */
  readonly sortedParts?: {
    /** How many rows an engine has to keep for a feature, about. */
    readonly cellsPerFeature: number;
    statement(scope: Scope, kinds: AskKinds): PartStatement | Promise<PartStatement>;
  };
  /** What to know of its table, once that is there. */
  readonly findings?: () => readonly Finding[];
  /** Whether the result has persons in it. */
  readonly namesPersons?: boolean;
}
