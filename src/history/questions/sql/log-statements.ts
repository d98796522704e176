import { shownValue, type ValueKind } from "./cell-values.js";
import { changeCtes } from "./cte/change-ctes.js";
import { featureCte, firstsCte, knownUs, presentValues } from "./cte/feature-ctes.js";
import { oneOf, type Scope, statement, whereOwnChanges } from "./scope.js";

/**
 * What the log of the features is made of: `site_id`, `k`, `n` changes, `dated` of them whose time exists and is known,
 * `first_us`, `last_us`.
 */
export function surveyRows(scope: Scope): string {
  const us = knownUs(scope, "c");
  return `SELECT CAST(c.site_id AS DOUBLE) AS site, c.property_key AS k, CAST(count(*) AS DOUBLE) AS n, CAST(count(${us}) AS DOUBLE) AS dated,
  CAST(min(${us}) AS DOUBLE) AS first_us, CAST(max(${us}) AS DOUBLE) AS last_us
FROM ${scope.dialect.table("property_changes")} c WHERE ${whereOwnChanges(scope, "c")} GROUP BY c.site_id, c.property_key`;
}

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

/**
 * The keys, as `k`, under which a value was logged that is null in a stored column.
 *
 * @param kinds of the columns, by key
 */
export function mistypedRows(scope: Scope, kinds: ReadonlyMap<string, ValueKind>): string {
  const { dialect } = scope;
  const lost = [...new Set(kinds.values())].map((kind) => {
    const keys = [...kinds].flatMap(([key, own]) => (own === kind ? [key] : []));
    return `(${oneOf(dialect, "c.property_key", keys)} AND ${shownValue(dialect, kind, "c.new_value")} IS NULL)`;
  });
  return `SELECT DISTINCT c.property_key AS k FROM ${dialect.table("property_changes")} c
WHERE ${whereOwnChanges(scope, "c")} AND c.created_at IS NOT NULL AND c.new_value <> 'null' AND (${lost.join(" OR ")})`;
}

/**
 * Whether a column holds numbers: `part` (0 for what was logged, 1 for what was never changed), `numbers`, how many of
 * them are, and `first`, the first value that is not null.
 */
export function numberCheck(scope: Scope, column: number): string {
  const now = presentValues(scope, [column], "now");
  return statement(
    [
      ...now.members,
      featureCte(scope, now.carried, now.joins),
      ...changeCtes(scope, [column]),
      "changed AS (SELECT f AS changed_f FROM changes GROUP BY f)",
    ],
    `SELECT 0 AS part, CAST(count(TRY_CAST(v AS DOUBLE)) AS DOUBLE) AS numbers,
  min_by(v, ${scope.dialect.row("changes.f", "us", "id")}) AS first_value
FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL AND v <> 'null'
UNION ALL SELECT 1, CAST(count(TRY_CAST(now0 AS DOUBLE)) AS DOUBLE), min_by(now0, f)
FROM feat LEFT JOIN changed ON changed_f = f WHERE changed_f IS NULL AND now0 <> 'null'`,
  );
}

/** The values that a column ever had by the log, each once, also later than is known: `v`, JSON texts. */
export function loggedValues(scope: Scope, column: number): string {
  return statement(
    [featureCte(scope), ...changeCtes({ ...scope, knownUpTo: undefined }, [column])],
    "SELECT DISTINCT v FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL",
  );
}

/** The distinct arrays that some keys were changed to: `v`, JSON texts. */
export function loggedArrays(scope: Scope, keys: readonly string[]): string {
  const ofKeys = oneOf(scope.dialect, "c.property_key", keys);
  return `SELECT DISTINCT c.new_value AS v FROM ${scope.dialect.table("property_changes")} c
WHERE substr(c.new_value, 1, 1) = '[' AND ${ofKeys} AND ${whereOwnChanges(scope, "c")}`;
}

/**
 * The changes in cells of merged columns that were changed under several of their keys: `id`, `f`, `k`, `v`, `us` and
 * no cause; by id. Keys are merged where their features differ, so that there are few.
 */
export function conflictRows(scope: Scope, columns: readonly number[]): string {
  return statement(
    [
      featureCte(scope),
      ...changeCtes(scope, columns, { extra: ["c.property_key AS k"] }),
      "known AS (SELECT id, changes.f AS f, col, k, v, us FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL)",
      "mixed AS (SELECT f AS mixed_f, col AS mixed_col FROM known GROUP BY f, col HAVING min(k) <> max(k))",
    ],
    `SELECT id, CAST(f AS DOUBLE) AS feature, k, v, CAST(us AS DOUBLE) AS made, CAST(NULL AS ${scope.dialect.textType}) AS cause
FROM known JOIN mixed ON mixed_f = f AND mixed_col = col ORDER BY id`,
  );
}

/** The features that were changed before they were created: `f`, `first_us`. */
export function earlyRows(scope: Scope): string {
  return statement(
    [featureCte(scope), firstsCte(scope)],
    `SELECT CAST(feat.f AS DOUBLE) AS feature, CAST(first_us AS DOUBLE) AS first_us
FROM feat JOIN firsts ON firsts.f = feat.f WHERE first_us < created_us`,
  );
}

/** The first changes whose time does not exist: `id`, ascending. */
export function undatedRows(scope: Scope, count: number): string {
  return `SELECT c.id AS id FROM ${scope.dialect.table("property_changes")} c
WHERE c.created_at IS NULL AND ${whereOwnChanges(scope, "c")} ORDER BY c.id LIMIT ${count}`;
}

/** How many times name no zone, and how many are a leap second or the end of a day: `zoneless`, `rolled_over`. */
export function oddTimes(scope: Scope): string {
  const { dialect } = scope;
  const zoned = dialect.matches("written", "([Zz]|[+-][0-9][0-9](:?[0-9][0-9])?)$");
  const rolledOver = dialect.matches("written", "^.{11}(24:|[0-9][0-9]:[0-9][0-9]:60)");
  return `WITH times AS (SELECT ${dialect.memberText("c.record", "created_at")} AS written
  FROM ${dialect.table("property_changes")} c WHERE c.created_at IS NOT NULL AND ${whereOwnChanges(scope, "c")})
SELECT CAST(count(CASE WHEN NOT ${zoned} THEN 1 END) AS DOUBLE) AS zoneless,
  CAST(count(CASE WHEN ${rolledOver} THEN 1 END) AS DOUBLE) AS rolled_over FROM times`;
}

/** The first change that is known whose id does not say when it was inserted, as it is no UUIDv7: `id`. */
export function timelessIds(scope: Scope): string {
  const isVersion7 = "substr(c.id, 15, 1) = '7' AND substr(c.id, 20, 1) IN ('8', '9', 'a', 'b')";
  return `SELECT min(c.id) AS id FROM ${scope.dialect.table("property_changes")} c
WHERE ${knownUs(scope, "c")} IS NOT NULL AND NOT (${isVersion7}) AND ${whereOwnChanges(scope, "c")}`;
}
