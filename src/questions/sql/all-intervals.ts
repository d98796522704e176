import { presentMembers } from "./feature-members.js";
import { presentOf, presentValues } from "./present-values.js";
import type { Scope } from "./scope.js";
import { shownValue } from "./shown-value.js";
import { namedSpanMembers } from "./span-members.js";
import { spanTimes } from "./span-times.js";
import { stateOf } from "./state-of.js";
import { statement } from "./statement.js";
import { visibleId } from "./stored-spans.js";
import { unmarked } from "./unmarked.js";

/** When each feature held which value in which column, complete by itself. */
export function allIntervalsTable(scope: Scope): string {
  const { dialect } = scope;
  const columns = scope.columns.map((_, column) => column);
  const now = presentValues(scope, columns, "now");
  return statement(
    [
      ...now.members,
      ...presentMembers(scope, [visibleId, ...now.carried], now.joins),
      ...namedSpanMembers(scope, ["visible_id"], presentOf(scope, "now", "cols.col")),
      `said AS (SELECT *, ${unmarked("v")} AS said FROM spans)`,
    ],
    `SELECT f AS id, visible_id, name AS ${dialect.identifier("column")}, ${shownValue(dialect, "text", "said")} AS ${dialect.identifier("value")},
  ${stateOf("v")} AS state, ${spanTimes(dialect)}
FROM said ORDER BY f, col, from_us`,
  );
}
