import type { FilterValue, ResolvedFilters } from "../../../api/filters.js";
import { baseFields } from "../../../tables/read/feature-columns.js";
import type { Dialect } from "./dialect/dialect.js";
import type { SqlExpression } from "./dialect/literals.js";

/** A property column as statements see it. */
export interface ScopeColumn {
  readonly name: string;
  /** The property keys whose values it holds, canonical. Of a feature's present values the first that there is counts. */
  readonly keys: readonly string[];
}

/** What a logged or present value of a key is replaced with. Values are canonical JSON texts. */
export interface ScopeLabel {
  readonly key: string;
  readonly value: string;
  readonly label: string;
}

/** What statements are about: which features, which properties of theirs, and how much of the log is known. */
export interface Scope {
  readonly dialect: Dialect;
  /** What selects the features. */
  readonly filters: ResolvedFilters;
  /** Datasets whose features are not among the layer features. */
  readonly hiddenDatasets: readonly number[];
  /** The sites by whose parts the changes of the features are kept; any if undefined. A feature may have moved. */
  readonly logSites: readonly (number | null)[] | undefined;
  /** Whether the features are so few of all that their changes should be looked for. */
  readonly isNarrow: boolean;
  /** First and last id of the features that a statement is about; all of them if undefined. */
  readonly ids: readonly [first: number, last: number] | undefined;
  readonly columns: readonly ScopeColumn[];
  readonly labels: readonly ScopeLabel[];
  /** Id of the last change that is known, in lower case, or an expression of it; all are if undefined. */
  readonly knownUpTo: string | SqlExpression | undefined;
  /** The last microsecond at which something was known; undefined for the time of reading, or if the id of the last change has no time. */
  readonly lastKnownUs: number | SqlExpression | undefined;
  /** Whether features that are gone are among them, and the engine has `gone_features`. */
  readonly hasGone: boolean;
}

/** The places of all columns. */
export function allColumns({ columns }: Scope): readonly number[] {
  return columns.map((_, column) => column);
}

/** Columns of features that statements read. The record has the geometry. */
const featureColumns = [...baseFields.filter((field) => field !== "geometry"), "properties", "record"];

/** The rows of features for a `FROM` clause: `layer_features`, and with `gone_us` the features that are gone. */
export function featureRows({ dialect, hasGone }: Scope): string {
  const present = dialect.table("layer_features");
  if (!hasGone) return present;
  const columns = featureColumns.map((name) => dialect.identifier(name)).join(", ");
  return `(SELECT ${columns}, ${dialect.none("bigint")} AS gone_us FROM ${present}
    UNION ALL SELECT ${columns}, ${dialect.us("gone_at")} FROM ${dialect.table("gone_features")})`;
}

/** The condition on rows of `layer_features` that they are features of the scope. */
export function whereFeatures(scope: Scope, alias: string): string {
  const { dialect, filters, hiddenDatasets, ids } = scope;
  return allOf([
    ...[...filters].map(([name, values]) => oneOf(dialect, `${alias}.${name}`, values)),
    ...(hiddenDatasets.length === 0 ? [] : [`${alias}.dataset_id NOT IN (${hiddenDatasets.join(", ")})`]),
    ...(ids ? [`${alias}.id BETWEEN ${ids[0]} AND ${ids[1]}`] : []),
  ]);
}

/**
 * The condition on rows of `property_changes` that they may be changes of the scope's features; others are left out
 * where the changes meet the features.
 */
export function whereChanges(scope: Scope, alias: string): string {
  const { dialect, logSites, ids, isNarrow } = scope;
  const wanted = `SELECT wanted.id FROM ${featureRows(scope)} wanted WHERE ${whereFeatures(scope, "wanted")}`;
  return allOf([
    ...(logSites ? [oneOf(dialect, `${alias}.site_id`, logSites)] : []),
    ...(ids ? [`${alias}.layer_feature_id BETWEEN ${ids[0]} AND ${ids[1]}`] : []),
    ...(isNarrow ? [`${alias}.layer_feature_id IN (${wanted})`] : []),
  ]);
}

/** The condition on rows of `property_changes` that they are changes of the scope's features. */
export function whereOwnChanges(scope: Scope, alias: string): string {
  return whereChanges({ ...scope, isNarrow: true }, alias);
}

/** Whether an expression is one of some values. */
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

/** A statement of members of `WITH` and the `SELECT` that reads them. */
export function statement(members: readonly string[], select: string): string {
  return members.length === 0 ? select : `WITH ${members.join(",\n")}\n${select}`;
}

/** A statement about some features, whose rows become a result with those about the others. */
export interface PartStatement {
  readonly sql: string;
  /**
   * What makes the result of all rows: SELECTs from a table, each from what the one before made, in the words of an engine
   * that keeps the order of rows.
   */
  readonly afterwards: readonly ((table: string) => string)[];
}
