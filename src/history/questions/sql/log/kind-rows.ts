import type { Scope } from "../scope/scope.js";
import { oneOf, whereOwnChanges } from "../scope/where.js";

/**
 * What the values that the log dates are, by key: `k`, `n` that are not null, `numbers` and `booleans` among them.
 *
 * @param keys canonical
 */
export function kindRows(scope: Scope, keys: readonly string[]): string {
  const value = "c.new_value";
  return `SELECT c.property_key AS k, CAST(count(${value}) AS DOUBLE) AS n, CAST(count(TRY_CAST(${value} AS DOUBLE)) AS DOUBLE) AS numbers,
  CAST(count(CASE WHEN ${value} IN ('true', 'false') THEN 1 END) AS DOUBLE) AS booleans
FROM ${scope.dialect.table("property_changes")} c WHERE ${whereOwnChanges(scope, "c")} AND c.created_at IS NOT NULL
  AND ${oneOf(scope.dialect, "c.property_key", keys)} GROUP BY c.property_key`;
}
