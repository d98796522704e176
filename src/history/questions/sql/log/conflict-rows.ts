import { changeMembers } from "../members/change-members.js";
import { featMember } from "../members/feature-members.js";
import type { Scope } from "../scope/scope.js";
import { statement } from "../scope/statement.js";

/**
 * The changes in cells of merged columns that were changed under several of their keys: `id`, `f`, `k`, `v`, `us` and
 * no cause; by id. Keys are merged where their features differ, so that there are few.
 */
export function conflictRows(scope: Scope, columns: readonly number[]): string {
  return statement(
    [
      featMember(scope),
      ...changeMembers(scope, columns, { extra: ["c.property_key AS k"] }),
      "known AS (SELECT id, changes.f AS f, col, k, v, us FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL)",
      "mixed AS (SELECT f AS mixed_f, col AS mixed_col FROM known GROUP BY f, col HAVING min(k) <> max(k))",
    ],
    `SELECT id, CAST(f AS DOUBLE) AS feature, k, v, CAST(us AS DOUBLE) AS made, CAST(NULL AS ${scope.dialect.textType}) AS cause
FROM known JOIN mixed ON mixed_f = f AND mixed_col = col ORDER BY id`,
  );
}
