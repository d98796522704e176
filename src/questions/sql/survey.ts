import { knownUs } from "./feature-members.js";
import type { Scope } from "./scope.js";
import { oneOf, whereOwnChanges } from "./where.js";

const TABLE = "property_changes";

/**
 * What the log of the features is made of: `site_id`, `k`, `n` changes, `dated` of them whose time exists and is known,
 * `first_us`, `last_us`.
 */
export function surveyRows(scope: Scope): string {
  const us = knownUs(scope, "c");
  return `SELECT CAST(c.site_id AS DOUBLE) AS site, c.property_key AS k, CAST(count(*) AS DOUBLE) AS n, CAST(count(${us}) AS DOUBLE) AS dated,
  CAST(min(${us}) AS DOUBLE) AS first_us, CAST(max(${us}) AS DOUBLE) AS last_us
FROM ${scope.dialect.table(TABLE)} c WHERE ${whereOwnChanges(scope, "c")} GROUP BY c.site_id, c.property_key`;
}

/** The first changes whose time does not exist: `id`, ascending. */
export function undatedRows(scope: Scope, count: number): string {
  return `SELECT c.id AS id FROM ${scope.dialect.table(TABLE)} c
WHERE c.created_at IS NULL AND ${whereOwnChanges(scope, "c")} ORDER BY c.id LIMIT ${count}`;
}

/** How many times name no zone, and how many are a leap second or the end of a day: `zoneless`, `rolled_over`. */
export function oddTimes(scope: Scope): string {
  const { dialect } = scope;
  const zoned = dialect.matches("written", "([Zz]|[+-][0-9][0-9](:?[0-9][0-9])?)$");
  const rolledOver = dialect.matches("written", "^.{11}(24:|[0-9][0-9]:[0-9][0-9]:60)");
  return `WITH times AS (SELECT ${dialect.memberText("c.record", "created_at")} AS written
  FROM ${dialect.table(TABLE)} c WHERE c.created_at IS NOT NULL AND ${whereOwnChanges(scope, "c")})
SELECT CAST(count(CASE WHEN NOT ${zoned} THEN 1 END) AS DOUBLE) AS zoneless,
  CAST(count(CASE WHEN ${rolledOver} THEN 1 END) AS DOUBLE) AS rolled_over FROM times`;
}

/** The first change that is known whose id does not say when it was inserted, as it is no UUIDv7: `id`. */
export function timelessIds(scope: Scope): string {
  const isVersion7 = "substr(c.id, 15, 1) = '7' AND substr(c.id, 20, 1) IN ('8', '9', 'a', 'b')";
  return `SELECT min(c.id) AS id FROM ${scope.dialect.table(TABLE)} c
WHERE ${knownUs(scope, "c")} IS NOT NULL AND NOT (${isVersion7}) AND ${whereOwnChanges(scope, "c")}`;
}

/** The distinct arrays that some keys were changed to: `v`, JSON texts. */
export function loggedArrays(scope: Scope, keys: readonly string[]): string {
  const ofKeys = oneOf(scope.dialect, "c.property_key", keys);
  return `SELECT DISTINCT c.new_value AS v FROM ${scope.dialect.table(TABLE)} c
WHERE substr(c.new_value, 1, 1) = '[' AND ${ofKeys} AND ${whereOwnChanges(scope, "c")}`;
}

/** What the logged values of each key are: `k`, `n` that are not null, `numbers` and `booleans` among them. */
export function kindRows(scope: Scope): string {
  const value = "c.new_value";
  return `SELECT c.property_key AS k, CAST(count(${value}) AS DOUBLE) AS n, CAST(count(TRY_CAST(${value} AS DOUBLE)) AS DOUBLE) AS numbers,
  CAST(count(CASE WHEN ${value} IN ('true', 'false') THEN 1 END) AS DOUBLE) AS booleans
FROM ${scope.dialect.table(TABLE)} c WHERE ${whereOwnChanges(scope, "c")} GROUP BY c.property_key`;
}
