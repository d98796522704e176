import { changeMembers } from "../members/change-members.js";
import { featMember } from "../members/feature-members.js";
import { presentValues } from "../members/present-values.js";
import type { Scope } from "../scope/scope.js";
import { statement } from "../scope/statement.js";

/**
 * Whether a column holds numbers: `part` (0 for what was logged, 1 for what was never changed), `numbers`, how many of
 * them are, and `first`, the first value that is not null.
 */
export function numberCheck(scope: Scope, column: number): string {
  const now = presentValues(scope, [column], "now");
  return statement(
    [
      ...now.members,
      featMember(scope, now.carried, now.joins),
      ...changeMembers(scope, [column]),
      "changed AS (SELECT f AS changed_f FROM changes GROUP BY f)",
    ],
    `SELECT 0 AS part, CAST(count(TRY_CAST(v AS DOUBLE)) AS DOUBLE) AS numbers,
  min_by(v, ${scope.dialect.row("changes.f", "us", "id")}) AS first_value
FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL AND v <> 'null'
UNION ALL SELECT 1, CAST(count(TRY_CAST(now0 AS DOUBLE)) AS DOUBLE), min_by(now0, f)
FROM feat LEFT JOIN changed ON changed_f = f WHERE changed_f IS NULL AND now0 <> 'null'`,
  );
}
