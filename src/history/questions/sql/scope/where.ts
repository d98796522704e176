import type { FilterValue } from "../../../../api/params.js";
import type { Dialect } from "../dialect/dialect.js";
import type { Scope } from "./scope.js";

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
  const wanted = `SELECT wanted.id FROM ${dialect.table("layer_features")} wanted WHERE ${whereFeatures(scope, "wanted")}`;
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
