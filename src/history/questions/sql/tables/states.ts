import { shownValue } from "../cell-values.js";
import { changeMembers } from "../cte/change-ctes.js";
import { columnMembers, presentCells, presentMembers } from "../cte/feature-ctes.js";
import { visibleId } from "../cte/interval-ctes.js";
import { usLiteral } from "../dialect/literals.js";
import { changeOrderKey, type Scope, statement } from "../scope.js";

/** What states are asked for. */
export interface StatesQuery {
  readonly us: number;
  /** Whether features that did not exist yet are listed. */
  readonly keepsAbsent: boolean;
}

/** The cells that were ever changed: `f`, `col`, `v`, `id`, `us`, `user_id`, `system`; `v` is null where it is unknown. */
export function stateCells(scope: Scope, { us }: StatesQuery): string {
  return statement(
    pickMembers(scope, us),
    `SELECT CAST(f AS DOUBLE) AS f, col, picked.v AS v, picked.id AS id, CAST(picked.us AS DOUBLE) AS us,
  CAST(picked.user_id AS DOUBLE) AS user_id, picked.system AS system
FROM picks`,
  );
}

/** How each value at a time is known, complete by itself. */
export function statesTable(scope: Scope, { us, keepsAbsent }: StatesQuery): string {
  const { dialect } = scope;
  const now = presentCells(scope);
  const value = `CASE WHEN picked.v IS NOT NULL THEN picked.v WHEN picks.f IS NULL THEN ${now.of("cols.col")} END`;
  return statement(
    [
      ...now.members,
      ...presentMembers(scope, [visibleId, ...now.carried], now.joins),
      ...pickMembers(scope, us),
      ...columnMembers(scope, "col"),
      `states AS (SELECT present.f, visible_id, cols.col, cols.name, from_us, picked,
    CASE WHEN from_us > ${usLiteral(us)} THEN 'absent' WHEN picked.v = 'null' THEN 'cleared' WHEN picked.v IS NOT NULL THEN 'logged'
      WHEN picks.f IS NOT NULL THEN 'unknown' ELSE 'unchanged' END AS state,
    CASE WHEN from_us <= ${usLiteral(us)} THEN ${value} END AS v
  FROM present CROSS JOIN cols LEFT JOIN picks ON picks.f = present.f AND picks.col = cols.col)`,
    ],
    `SELECT f AS id, visible_id, name AS ${dialect.identifier("column")}, ${shownValue(dialect, "text", "v")} AS value, state,
  picked.id AS change_id, ${dialect.instant("picked.us")} AS changed_at, picked.us AS changed_at_us,
  picked.user_id AS user_id, picked.system AS ${dialect.identifier("system")}
FROM states${keepsAbsent ? "" : "\nWHERE state <> 'absent'"}
ORDER BY f, col`,
  );
}

/** `picks`: of each cell that was ever changed the change that decides it, as `picked`. */
function pickMembers(scope: Scope, us: number): string[] {
  const { dialect } = scope;
  const change = dialect.struct([
    { name: "v", type: "VARCHAR", sql: "v" },
    { name: "id", type: "VARCHAR", sql: "id" },
    { name: "us", type: "BIGINT", sql: "us" },
    { name: "user_id", type: "BIGINT", sql: "user_id" },
    { name: "system", type: "BOOLEAN", sql: "is_system" },
  ]);
  return [
    ...changeMembers(
      scope,
      scope.columns.map((_, column) => column),
      { extra: ["c.user_id AS user_id", `c.${dialect.identifier("system")} AS is_system`] },
    ),
    `picks AS (SELECT f, col, max_by(${change}, ${changeOrderKey(dialect)}) FILTER (WHERE us <= ${usLiteral(us)}) AS picked
  FROM changes GROUP BY f, col)`,
  ];
}
