import { shownValue, stateOf, unmarked } from "../cell-values.js";
import { presentCells, presentMembers } from "../cte/feature-ctes.js";
import { namedSpanMembers, spanTimes, visibleId } from "../cte/interval-ctes.js";
import { type Scope, statement } from "../scope.js";

/** When each feature held which value in which column, complete by itself. */
export function allIntervalsTable(scope: Scope): string {
  const { dialect } = scope;
  const now = presentCells(scope);
  return statement(
    [
      ...now.members,
      ...presentMembers(scope, [visibleId, ...now.carried], now.joins),
      ...namedSpanMembers(scope, ["visible_id"], now.of("cols.col")),
      `said AS (SELECT *, ${unmarked("v")} AS said FROM spans)`,
    ],
    `SELECT f AS id, visible_id, name AS ${dialect.identifier("column")}, ${shownValue(dialect, "text", "said")} AS ${dialect.identifier("value")},
  ${stateOf("v")} AS state, ${spanTimes(dialect)}
FROM said ORDER BY f, col, from_us`,
  );
}
