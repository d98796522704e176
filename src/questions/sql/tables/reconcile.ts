import { changeMembers } from "../members/change-members.js";
import { columnMembers } from "../members/column-members.js";
import { featMember } from "../members/feature-members.js";
import { presentOf, presentValues } from "../members/present-values.js";
import type { Scope } from "../scope/scope.js";
import { statement } from "../scope/statement.js";

/**
 * How the last changes compare with the present: `col`, `is_valid`, `is_inserted` (whether the last in valid order, and
 * in order of insertion, is the present value), `n` cells; where the last in valid order is not, a row each cell, with
 * `f` and `v`.
 */
export function reconcileRows(scope: Scope): string {
  return statement(
    comparedMembers(scope),
    `SELECT col, is_valid, is_inserted, CAST(odd_f AS DOUBLE) AS feature, odd_v, CAST(count(*) AS DOUBLE) AS n
FROM (SELECT col, is_valid, is_inserted, CASE WHEN NOT is_valid THEN f END AS odd_f, CASE WHEN NOT is_valid THEN valid END AS odd_v
  FROM compared) cells
GROUP BY col, is_valid, is_inserted, odd_f, odd_v`,
  );
}

/** Whether the log explains the present, column by column, complete by itself. */
export function reconcileTable(scope: Scope): string {
  const { dialect } = scope;
  const count = (condition: string) => `count(CASE WHEN ${condition} THEN 1 END)`;
  return statement(
    [...comparedMembers(scope), ...columnMembers(scope, "named")],
    `SELECT name AS ${dialect.identifier("column")}, count(col) AS pairs, ${count("is_valid")} AS valid, ${count("is_inserted")} AS insertion,
  ${count("is_valid AND is_inserted")} AS ${dialect.identifier("both")}, ${count("NOT is_valid AND NOT is_inserted")} AS neither
FROM cols LEFT JOIN compared ON col = named GROUP BY named, name ORDER BY named`,
  );
}

/** `compared`: of each cell that was changed whether its last changes are the present value. */
function comparedMembers(scope: Scope): string[] {
  const columns = scope.columns.map((_, column) => column);
  const now = presentValues(scope, columns, "now");
  return [
    ...now.members,
    featMember(scope, now.carried, now.joins),
    ...changeMembers(scope, columns),
    `ends AS (SELECT f AS changed, col, max_by(v, ${scope.dialect.row("us", "id")}) AS valid, max_by(v, id) AS inserted
  FROM changes WHERE us IS NOT NULL GROUP BY f, col)`,
    `matched AS (SELECT f, col, valid, inserted, ${presentOf(scope, "now", "col")} AS now FROM ends JOIN feat ON f = changed)`,
    "compared AS (SELECT f, col, valid, valid = now AS is_valid, inserted = now AS is_inserted FROM matched)",
  ];
}
