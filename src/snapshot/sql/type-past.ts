import type { Diagnostic } from "../../core/diagnostic.js";
import type { Dialect } from "../../history/questions/sql/dialect/dialect.js";
import type { SqlExpression } from "../../history/questions/sql/dialect/literals.js";
import type { Scope } from "../../history/questions/sql/statement-scope.js";
import type { SqlRename } from "../../tables/sql/sql-names.js";

/** The features of a semantic type, current and past, as SQL statements. Default dialect: DuckDB's. */
export interface TypePast {
  /** Columns with other names in the result of `asOf()`. */
  renamed(dialect?: Dialect): readonly SqlRename[];
  /** Columns with other names in the result of `present()`. */
  presentRenamed(dialect?: Dialect): readonly SqlRename[];
  /** The current features, with the columns of their layer. */
  present(dialect?: Dialect): string;
  /**
   * The features as of a time.
   *
   * @param us the last microsecond of the time, or an expression for it
   */
  asOf(us: number | SqlExpression, dialect?: Dialect): Promise<string>;
  /** The state of each value at a time. */
  states(us: number | SqlExpression, dialect?: Dialect): string;
  /** The first known change whose id has no insertion time. */
  timelessId(): string;
  /**
   * The past as known at an insertion point.
   *
   * @param point id of the last known change, or the last microsecond
   * @throws ArgumentError for a time if a change has no insertion time
   */
  knownAt(point: string | number): Promise<TypePast>;
  /** The same for a point that is an expression. */
  knownBy(part: KnownPart): TypePast;
  /** The intervals of every value, by feature and column. */
  history(dialect?: Dialect): string;
  /**
   * Diagnostics for values that are null in the result of `asOf()`, since they do not match their declared types.
   *
   * @param us the last microsecond that the time includes
   */
  mismatches(us: number): Promise<readonly Diagnostic[]>;
  /** Diagnostics for a time after the log was read. */
  dateAfterRead(time: string, timeZone: string): readonly Diagnostic[];
  /** Diagnostic with the count of gone features. */
  readonly goneDiagnostics: readonly Diagnostic[];
}

/** The part of a log that was known at a point. */
export type KnownPart = Pick<Scope, "knownUpTo" | "lastKnownUs">;

/**
 * Returns the past of a semantic type.
 *
 * @param asLogged whether columns with values that do not match their declared type are followed by the logged values
 */
export type OpenPast = (type: string, asLogged: boolean) => Promise<TypePast>;
