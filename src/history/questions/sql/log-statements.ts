import { castValue, type ValueKind } from "./cell-values.js";
import { changeCtes, changeKeys } from "./cte/change-ctes.js";
import { featureCte, firstsCte, knownUs, presentValues } from "./cte/feature-ctes.js";
import type { Dialect } from "./dialect/dialect.js";
import { usLiteral } from "./dialect/literals.js";
import { allColumns, oneOf, type Scope, statement, whereOwnChanges } from "./statement-scope.js";

/**
 * Summary of the log of the features: `site_id`, `k`, `n` changes, `dated` (changes with a valid and known time),
 * `first_us`, `last_us`.
 */
export function surveyRows(scope: Scope): string {
  const { double, table } = scope.dialect;
  const us = knownUs(scope, "c");
  return `SELECT ${double("c.site_id")} AS site, c.property_key AS k, ${double("count(*)")} AS n, ${double(`count(${us})`)} AS dated,
  ${double(`min(${us})`)} AS first_us, ${double(`max(${us})`)} AS last_us
FROM ${table("property_changes")} c WHERE ${whereOwnChanges(scope, "c")} GROUP BY c.site_id, c.property_key`;
}

/**
 * Kinds of the values with a valid time, by key: `k`, `n` that are not null, `numbers` and `booleans` among them.
 *
 * @param keys canonical
 */
export function kindRows(scope: Scope, keys: readonly string[]): string {
  const { double, table, tryCast } = scope.dialect;
  const value = "c.new_value";
  return `SELECT c.property_key AS k, ${double(`count(${value})`)} AS n, ${double(`count(${tryCast(value, "double")})`)} AS numbers,
  ${double(`count(CASE WHEN ${value} IN ('true', 'false') THEN 1 END)`)} AS booleans
FROM ${table("property_changes")} c WHERE ${whereOwnChanges(scope, "c")} AND c.created_at IS NOT NULL
  AND ${oneOf(scope.dialect, "c.property_key", keys)} GROUP BY c.property_key`;
}

/**
 * The keys, as `k`, with a logged value that becomes null in a stored column.
 *
 * @param kinds kinds of the columns, by key
 */
export function mistypedRows(scope: Scope, kinds: ReadonlyMap<string, ValueKind>): string {
  const { dialect } = scope;
  const lost = [...new Set(kinds.values())].map((kind) => {
    const keys = [...kinds].flatMap(([key, kindOfKey]) => (kindOfKey === kind ? [key] : []));
    return `(${oneOf(dialect, "c.property_key", keys)} AND ${castValue(dialect, kind, "c.new_value")} IS NULL)`;
  });
  return `SELECT DISTINCT c.property_key AS k FROM ${dialect.table("property_changes")} c
WHERE ${whereOwnChanges(scope, "c")} AND c.created_at IS NOT NULL AND c.new_value <> 'null' AND (${lost.join(" OR ")})`;
}

/**
 * Whether a column holds numbers: `part` (0 for logged values, 1 for values that were never changed), `numbers` (their
 * count), and `first`, the first value that is not null.
 */
export function numberCheck(scope: Scope, column: number): string {
  const { double, firstBy, tryCast } = scope.dialect;
  const numbers = (value: string) => double(`count(${tryCast(value, "double")})`);
  const now = presentValues(scope, [column], "now");
  return statement(
    [
      ...now.members,
      featureCte(scope, now.carried, now.joins),
      ...changeCtes(scope, [column]),
      "changed AS (SELECT f AS changed_f FROM changes GROUP BY f)",
    ],
    `SELECT 0 AS part, ${numbers("v")} AS numbers,
  ${firstBy("v", ["changes.f", ...changeKeys])} AS first_value
FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL AND v <> 'null'
UNION ALL SELECT 1, ${numbers("now0")}, ${firstBy("now0", ["f"])}
FROM feat LEFT JOIN changed ON changed_f = f WHERE changed_f IS NULL AND now0 <> 'null'`,
  );
}

/** The distinct values that a column ever had by the log, including changes that are not known yet: `v`, JSON texts. */
export function loggedValueRows(scope: Scope, column: number): string {
  return statement(
    [featureCte(scope), ...changeCtes({ ...scope, knownUpTo: undefined }, [column])],
    "SELECT DISTINCT v FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL",
  );
}

/** Number of changes of the scope's columns with a date after the log was read: `n`. */
export function afterReadCount(scope: Scope, readAtUs: number): string {
  return statement(
    [featureCte(scope), ...changeCtes(scope, allColumns(scope))],
    `SELECT ${scope.dialect.double("count(*)")} AS n FROM changes JOIN feat ON feat.f = changes.f WHERE us > ${usLiteral(readAtUs)}`,
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
 * no cause; by id. They are few, because merged keys usually belong to different features.
 */
export function conflictRows(scope: Scope, columns: readonly number[]): string {
  const { double, none } = scope.dialect;
  return statement(
    [
      featureCte(scope),
      ...changeCtes(scope, columns, { extra: ["c.property_key AS k"] }),
      "known AS (SELECT id, changes.f AS f, col, k, v, us FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL)",
      "mixed AS (SELECT f AS mixed_f, col AS mixed_col FROM known GROUP BY f, col HAVING min(k) <> max(k))",
    ],
    `SELECT id, ${double("f")} AS feature, k, v, ${double("us")} AS made, ${none("text")} AS cause
FROM known JOIN mixed ON mixed_f = f AND mixed_col = col ORDER BY id`,
  );
}

/** The features that were changed before their creation or before its time was known: `f`, `first_us`. */
export function earlyRows(scope: Scope): string {
  const { double } = scope.dialect;
  const { lastKnownUs: limitUs } = scope;
  const later = limitUs === undefined ? "" : ` OR (first_us IS NOT NULL AND created_us > ${usLiteral(limitUs)})`;
  return statement(
    [featureCte(scope), firstsCte(scope)],
    `SELECT ${double("feat.f")} AS feature, ${double("first_us")} AS first_us
FROM feat JOIN firsts ON firsts.f = feat.f WHERE first_us < created_us${later}`,
  );
}

/** The first changes with an invalid time: `id`, ascending. */
export function undatedRows(scope: Scope, count: number): string {
  return `SELECT c.id AS id FROM ${scope.dialect.table("property_changes")} c
WHERE c.created_at IS NULL AND ${whereOwnChanges(scope, "c")} ORDER BY c.id LIMIT ${count}`;
}

/**
 * Number of times without a zone, and of times with a leap second or at the end of a day: `zoneless`, `rolled_over`.
 */
export function oddTimes(scope: Scope): string {
  const { dialect } = scope;
  const zoned = dialect.matches("written", "([Zz]|[+-][0-9][0-9](:?[0-9][0-9])?)$");
  const rolledOver = dialect.matches("written", "^.{11}(24:|[0-9][0-9]:[0-9][0-9]:60)");
  return `WITH times AS (SELECT ${dialect.memberText("c.record", "created_at")} AS written
  FROM ${dialect.table("property_changes")} c WHERE c.created_at IS NOT NULL AND ${whereOwnChanges(scope, "c")})
SELECT ${dialect.double(`count(CASE WHEN NOT ${zoned} THEN 1 END)`)} AS zoneless,
  ${dialect.double(`count(CASE WHEN ${rolledOver} THEN 1 END)`)} AS rolled_over FROM times`;
}

/** The first known change whose id contains no insertion time, because it is not a UUIDv7: `id`. */
export function timelessIds(scope: Scope): string {
  return `SELECT min(c.id) AS id FROM ${scope.dialect.table("property_changes")} c
WHERE ${knownUs(scope, "c")} IS NOT NULL AND NOT (${isVersion7("c.id")}) AND ${whereOwnChanges(scope, "c")}`;
}

function isVersion7(id: string): string {
  return `substr(${id}, 15, 1) = '7' AND substr(${id}, 20, 1) IN ('8', '9', 'a', 'b')`;
}

/**
 * When a change was recorded, in microseconds since 1970: a UUIDv7 begins with its milliseconds. Null for any other id.
 */
export function recordedUs(dialect: Dialect, id: string): string {
  const digits = `concat(substr(${id}, 1, 8), substr(${id}, 10, 4))`;
  return `CASE WHEN ${isVersion7(id)} THEN 1000 * ${dialect.fromHex(digits)} END`;
}
