import { US_PER_DAY } from "../../../../core/instant.js";
import { shownValue } from "../cell-values.js";
import { changeMembers } from "../cte/change-ctes.js";
import { columnMembers, featMember } from "../cte/feature-ctes.js";
import { type PartStatement, type Scope, statement } from "../scope.js";

/** Changes that were not the newest of their feature and property when they were inserted: `id`, `f`, `col`, `v`, `us`, `overtaken_us`. */
export function lateRows(scope: Scope): string {
  return statement(
    lateMembers(scope),
    `SELECT id, CAST(f AS DOUBLE) AS feature, col, v, CAST(us AS DOUBLE) AS made, CAST(overtaken_us AS DOUBLE) AS overtaken
FROM late ORDER BY id`,
  );
}

/** How many there are. */
export function lateCount(scope: Scope): string {
  return statement(lateMembers(scope), "SELECT CAST(count(*) AS DOUBLE) AS n FROM late");
}

/** The late edits, complete by themselves. */
export function lateTable(scope: Scope): string {
  const { dialect } = scope;
  return statement(
    [...lateMembers(scope), ...columnMembers(scope, "named")],
    `SELECT id AS change_id, f AS ${dialect.identifier("id")}, name AS ${dialect.identifier("column")},
  ${shownValue(dialect, "text", "v")} AS ${dialect.identifier("value")}, ${dialect.instant("us")} AS created_at,
  ${dialect.instant("overtaken_us")} AS overtaken_created_at, CAST(overtaken_us - us AS DOUBLE) / ${US_PER_DAY} AS late_by_days
FROM late JOIN cols ON named = col ORDER BY change_id`,
  );
}

/** The same of some features: insertions of one follow those of another. */
export function latePart(scope: Scope): PartStatement {
  return { sql: lateTable(scope), afterwards: [(table) => `FROM ${table} ORDER BY change_id`] };
}

/** `late`: inserted after a change of the same feature and property that was made later. */
function lateMembers(scope: Scope): string[] {
  return [
    featMember(scope),
    ...changeMembers(
      scope,
      scope.columns.map((_, column) => column),
      { extra: ["c.property_key AS k"] },
    ),
    `passed AS (SELECT f, id, us, col, v, max(us) OVER (PARTITION BY f, k ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS overtaken_us
  FROM changes WHERE us IS NOT NULL)`,
    `late AS (SELECT passed.f, id, us, col, v, overtaken_us FROM passed JOIN feat ON feat.f = passed.f WHERE overtaken_us > us)`,
  ];
}
