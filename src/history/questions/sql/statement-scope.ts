import type { FilterValue, ResolvedFilters } from "../../../api/filters.js";
import { baseFields } from "../../../tables/read/feature-columns.js";
import type { Dialect } from "./dialect/dialect.js";
import type { SqlExpression } from "./dialect/literals.js";

/** A property column in statements. */
export interface ScopeColumn {
  readonly name: string;
  /**
   * The canonical property keys whose values it holds. For current values, the first existing key of a feature counts.
   */
  readonly keys: readonly string[];
}

/** The replacement of a logged or current value of a key. Values are canonical JSON texts. */
export interface ScopeLabel {
  readonly key: string;
  readonly value: string;
  readonly label: string;
}

/** The scope of statements: the features, their properties, and the known part of the log. */
export interface Scope {
  readonly dialect: Dialect;
  /** Filters that select the features. */
  readonly filters: ResolvedFilters;
  /** Datasets whose features are excluded from layers. */
  readonly hiddenDatasets: readonly number[];
  /**
   * Sites of the partitions that contain the changes of the features; any site if undefined. A feature may have moved.
   */
  readonly logSites: readonly (number | null)[] | undefined;
  /** Whether the features are a small part of all, so that their changes should be selected by feature. */
  readonly isNarrow: boolean;
  /** First and last id of the features in a statement; undefined for all of them. */
  readonly ids: readonly [first: number, last: number] | undefined;
  readonly columns: readonly ScopeColumn[];
  readonly labels: readonly ScopeLabel[];
  /** Id of the last known change, in lower case, or an expression of it; undefined if all are known. */
  readonly knownUpTo: string | SqlExpression | undefined;
  /**
   * Last microsecond of the known log; undefined for the time of reading, or if the id of the last change has no time.
   */
  readonly lastKnownUs: number | SqlExpression | undefined;
  /** Whether deleted features are included, and the engine has `gone_features`. */
  readonly hasGone: boolean;
}

/** Indices of all columns. */
export function allColumns({ columns }: Scope): readonly number[] {
  return columns.map((_, column) => column);
}

/** Columns of features that statements read. The record has the geometry. */
const featureColumns = [...baseFields.filter((field) => field !== "geometry"), "properties", "record"];

/** The rows of features for a `FROM` clause: `layer_features`, and the deleted features with `gone_us`. */
export function featureRows({ dialect, hasGone }: Scope): string {
  const present = dialect.table("layer_features");
  if (!hasGone) return present;
  const columns = featureColumns.map((name) => dialect.identifier(name)).join(", ");
  return `(SELECT ${columns}, ${dialect.none("bigint")} AS gone_us FROM ${present}
    UNION ALL SELECT ${columns}, ${dialect.us("gone_at")} FROM ${dialect.table("gone_features")})`;
}

/** Condition on rows of `layer_features`: they are features of the scope. */
export function whereFeatures(scope: Scope, alias: string): string {
  const { dialect, filters, hiddenDatasets, ids } = scope;
  return allOf([
    ...[...filters].map(([name, values]) => oneOf(dialect, `${alias}.${name}`, values)),
    ...(hiddenDatasets.length === 0 ? [] : [`${alias}.dataset_id NOT IN (${hiddenDatasets.join(", ")})`]),
    ...(ids ? [`${alias}.id BETWEEN ${ids[0]} AND ${ids[1]}`] : []),
  ]);
}

/**
 * Condition on rows of `property_changes`: they may be changes of the scope's features. The join with the features
 * removes the others.
 */
export function whereChanges(scope: Scope, alias: string): string {
  const { dialect, logSites, ids, isNarrow } = scope;
  const featureIds = `SELECT wanted.id FROM ${featureRows(scope)} wanted WHERE ${whereFeatures(scope, "wanted")}`;
  return allOf([
    ...(logSites ? [oneOf(dialect, `${alias}.site_id`, logSites)] : []),
    ...(ids ? [`${alias}.layer_feature_id BETWEEN ${ids[0]} AND ${ids[1]}`] : []),
    ...(isNarrow ? [`${alias}.layer_feature_id IN (${featureIds})`] : []),
  ]);
}

/** Condition on rows of `property_changes`: they are changes of the scope's features. */
export function whereOwnChanges(scope: Scope, alias: string): string {
  return whereChanges({ ...scope, isNarrow: true }, alias);
}

/** Condition that an expression is one of some values. */
export function oneOf(dialect: Dialect, expression: string, values: readonly FilterValue[]): string {
  const literals = values.flatMap((value) => (value === null ? [] : [literal(dialect, value)]));
  const listed = literals.length === 0 ? [] : [`${expression} IN (${literals.join(", ")})`];
  const missing = values.includes(null) ? [`${expression} IS NULL`] : [];
  const either = [...listed, ...missing];
  return either.length === 0 ? "1 = 0" : `(${either.join(" OR ")})`;
}

function literal(dialect: Dialect, value: string | number): string {
  return typeof value === "number" ? String(value) : dialect.text(value);
}

function allOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? "1 = 1" : conditions.join(" AND ");
}

/** A statement from members of `WITH` and the `SELECT` that reads them. */
export function statement(members: readonly string[], select: string): string {
  return members.length === 0 ? select : `WITH ${members.join(",\n")}\n${select}`;
}

/** A statement about some features, whose rows are combined with those about the others. */
export interface PartStatement {
  readonly sql: string;
  /**
   * Builds the final result from all rows: SELECTs from a table, each over the result of the previous one, for an
   * engine that keeps the order of rows.
   */
  readonly afterwards: readonly ((table: string) => string)[];
}
