import { changeMembers } from "../cte/change-ctes.js";
import { featMember } from "../cte/feature-ctes.js";
import { type Scope, statement } from "../scope.js";

/**
 * The changes that caused others or were caused, in whatever property, as `LogEntry` has them: `id`, `f`, `k`, `v`,
 * `us`, `cause`; by id. They are few of all: the trees are put together from them.
 */
export function causeRows(scope: Scope): string {
  const columns = scope.columns.map((_, column) => column);
  const extra = ["c.property_key AS k", "c.caused_by_change_id AS cause"];
  return statement(
    [
      featMember(scope),
      ...changeMembers(scope, columns, { extra, others: true }),
      "known AS (SELECT id, changes.f AS f, k, v, us, cause FROM changes JOIN feat ON feat.f = changes.f WHERE us IS NOT NULL)",
    ],
    `SELECT id, CAST(f AS DOUBLE) AS feature, k, v, CAST(us AS DOUBLE) AS made, cause FROM known
WHERE cause IS NOT NULL OR id IN (SELECT causing.cause FROM known causing WHERE causing.cause IS NOT NULL)
ORDER BY id`,
  );
}
