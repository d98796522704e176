import type { Finding } from "../../core/finding.js";
import type { Dialect } from "../../history/questions/sql/dialect/dialect.js";
import type { SqlExpression } from "../../history/questions/sql/dialect/literals.js";
import type { Scope } from "../../history/questions/sql/scope.js";
import type { SqlRename } from "../../tables/sql/sql-names.js";

/** The features of a semantic type, as they are and as they were, as statements of SQL: DuckDB's if there is no dialect. */
export interface TypePast {
  /** Columns that have other names in the result of `asOf()`. */
  renamed(dialect?: Dialect): readonly SqlRename[];
  /** Columns that have other names in the result of `present()`. */
  presentRenamed(dialect?: Dialect): readonly SqlRename[];
  /** The features as they are, with the columns that their layer has. */
  present(dialect?: Dialect): string;
  /**
   * The features as of a time.
   *
   * @param us the last microsecond that it includes, or an expression of it
   */
  asOf(us: number | SqlExpression, dialect?: Dialect): Promise<string>;
  /** How each value at a time is known. */
  states(us: number | SqlExpression, dialect?: Dialect): string;
  /** The first change that is known whose id does not say when it was inserted. */
  timelessId(): string;
  /**
   * The past as of what was known at a point of insertion.
   *
   * @param point the id of the last change that was known, or the last microsecond
   * @throws ArgumentError for a time where a change does not say when it was inserted
   */
  knownAt(point: string | number): Promise<TypePast>;
  /** The same for a point that is an expression. */
  knownBy(known: KnownPart): TypePast;
  /** When each feature held which value in which column. */
  history(dialect?: Dialect): string;
  /**
   * Of values that are null in the result of `asOf()`, since they are not of their definitions' types.
   *
   * @param us the last microsecond that the time includes
   */
  mismatches(us: number): Promise<readonly Finding[]>;
  /** What to know of an answer about a time. */
  beyondReading(time: string, timeZone: string): readonly Finding[];
  /** How many features are gone. */
  readonly goneFindings: readonly Finding[];
}

/** The part of a log that was known at a point. */
export type KnownPart = Pick<Scope, "knownUpTo" | "lastKnownUs">;

/**
 * Finds out what the past of a semantic type is made of.
 *
 * @param asLogged whether columns with values of other types than their definitions' have what was logged behind them
 */
export type OpenPast = (type: string, asLogged: boolean) => Promise<TypePast>;
