import { presentMembers } from "../members/feature-members.js";
import { presentCells } from "../members/present-values.js";
import { namedSpanMembers } from "../members/span-members.js";
import { spanTimes } from "../members/span-times.js";
import { visibleId } from "../members/stored-spans.js";
import type { Scope } from "../scope/scope.js";
import { statement } from "../scope/statement.js";
import { shownValue } from "../values/shown-value.js";
import { stateOf } from "../values/state-of.js";
import { unmarked } from "../values/unmarked.js";

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
