import { shownValue, stateOf, UNCHANGED_MARK, UNKNOWN_MARK } from "../cell-values.js";
import { changeMembers } from "../cte/change-ctes.js";
import { type Carried, columnMembers, presentCells, presentMembers } from "../cte/feature-ctes.js";
import { visibleId } from "../cte/interval-ctes.js";
import { usLiteral } from "../dialect/literals.js";
import { changeOrderKey, type Scope, statement } from "../scope.js";

/** What a diff asks. */
export interface DiffQuery {
  readonly fromUs: number;
  readonly toUs: number;
}

/**
 * The cells that were changed between two times, or that one of them does not have: `f`, `col`, `before` (null where the
 * feature was absent) and `after` as JSON text or mark, `n` changes; in order.
 */
export function diffRows(scope: Scope, query: DiffQuery): string {
  return statement(
    differenceMembers(scope, query),
    `SELECT CAST(f AS DOUBLE) AS feature, col, said_before, said_after, CAST(n AS DOUBLE) AS changes FROM differences ORDER BY f, col`,
  );
}

/** What happened between two times, complete by itself. */
export function diffTable(scope: Scope, query: DiffQuery): string {
  const { dialect } = scope;
  const now = presentCells(scope);
  const shown = (said: string) =>
    shownValue(dialect, "text", `CASE WHEN ${said} = '${UNCHANGED_MARK}' THEN ${now.of("col")} ELSE ${said} END`);
  return statement(
    [...now.members, ...differenceMembers(scope, query, [visibleId, ...now.carried], now.joins)],
    `SELECT f AS id, visible_id, name AS ${dialect.identifier("column")}, ${shown("said_before")} AS ${dialect.identifier("before")},
  ${shown("said_after")} AS ${dialect.identifier("after")},
  CASE WHEN said_before IS NULL THEN 'absent' ELSE ${stateOf("said_before")} END AS before_state,
  ${stateOf("said_after")} AS after_state, n AS changes
FROM differences ORDER BY f, col`,
  );
}

function differenceMembers(scope: Scope, query: DiffQuery, carried: readonly Carried[] = [], joins = ""): string[] {
  const { dialect } = scope;
  const [fromUs, toUs] = [usLiteral(query.fromUs), usLiteral(query.toUs)];
  const order = changeOrderKey(dialect);
  const last = (us: string) => `max_by(v, ${order}) FILTER (WHERE us <= ${us})`;
  const said = (value: string) =>
    `coalesce(${value}, CASE WHEN changed IS NULL THEN '${UNCHANGED_MARK}' ELSE '${UNKNOWN_MARK}' END)`;
  const along = carried.map(({ name }) => `, ${name}`).join("");
  return [
    ...presentMembers(scope, carried, joins),
    ...changeMembers(
      scope,
      scope.columns.map((_, column) => column),
    ),
    `cells AS (SELECT f AS changed, col AS changed_col, ${last(fromUs)} AS v_from, ${last(toUs)} AS v_to,
    count(CASE WHEN us > ${fromUs} AND us <= ${toUs} THEN 1 END) AS n FROM changes GROUP BY f, col)`,
    ...columnMembers(scope, "col"),
    `differences AS (SELECT f${along}, col, name, CASE WHEN from_us <= ${fromUs} THEN ${said("v_from")} END AS said_before,
    ${said("v_to")} AS said_after, coalesce(n, 0) AS n
  FROM present CROSS JOIN cols LEFT JOIN cells ON changed = f AND changed_col = col
  WHERE from_us <= ${toUs} AND (n > 0 OR from_us > ${fromUs}))`,
  ];
}
