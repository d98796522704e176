import { changeMembers } from "./change-members.js";
import { UNCHANGED_MARK, UNKNOWN_MARK } from "./marks.js";
import type { Scope } from "./scope.js";

/**
 * `spans`: the stretches of time in which the cells of one column said the same: `f`, `id` of the first change, `v`
 * (JSON text, or a mark), `from_us`, `to_us` (null while it holds). Empty ones are dropped, then neighbours that say
 * the same are joined. The member `present` stands before.
 *
 * @param carried columns of `present` that come along
 */
export function spanMembers(scope: Scope, column: number, carried: readonly string[] = []): string[] {
  const { dialect } = scope;
  const inOrder = "PARTITION BY f ORDER BY us NULLS LAST, id";
  const along = carried.map((name) => `, ${name}`).join("");
  return [
    ...changeMembers(scope, [column]),
    `ranked AS (SELECT f AS changed, id, us, v, lead(us) OVER (${inOrder}) AS next_us, row_number() OVER (${inOrder}) AS n
  FROM changes)`,
    dialect.relation("sides", ["side"], [["0"], ["1"]]),
    // Before its first change a cell is unknown, and unchanged if it has none. Changes without a known time come last.
    `stretches AS (SELECT f${along}, CASE WHEN side = 1 THEN id END AS id, CASE WHEN side = 1 THEN us ELSE from_us END AS us,
    CASE WHEN side = 1 THEN v WHEN changed IS NULL THEN '${UNCHANGED_MARK}' ELSE '${UNKNOWN_MARK}' END AS v
  FROM present LEFT JOIN ranked ON changed = f CROSS JOIN sides
  WHERE (side = 1 AND us IS NOT NULL AND (next_us IS NULL OR next_us > us))
    OR (side = 0 AND (changed IS NULL OR (n = 1 AND (us IS NULL OR us > from_us)))))`,
    `edges AS (SELECT f${along}, id, us, v, lag(v) OVER (PARTITION BY f ORDER BY us) AS before FROM stretches)`,
    `spans AS (SELECT f${along}, id, v, us AS from_us, lead(us) OVER (PARTITION BY f ORDER BY us) AS to_us
  FROM edges WHERE before IS NULL OR before <> v)`,
  ];
}
