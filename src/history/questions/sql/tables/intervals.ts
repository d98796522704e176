import { shownValue, stateOf, type ValueKind } from "../cell-values.js";
import { presentMembers } from "../cte/feature-ctes.js";
import { SAID, spanMembers, spanTimes, storedSpans } from "../cte/interval-ctes.js";
import { type Scope, statement } from "../scope.js";

/** The stretches of time of a column: `f`, `v` (JSON text, or a mark), `from_us`, `to_us`, `id`; in order. */
export function spanRows(scope: Scope, column: number): string {
  return statement(
    [...presentMembers(scope), ...spanMembers(scope, column)],
    `SELECT CAST(f AS DOUBLE) AS feature, v, CAST(from_us AS DOUBLE) AS from_time, CAST(to_us AS DOUBLE) AS to_time, id
FROM spans ORDER BY f, from_us`,
  );
}

/** When each feature held which value, complete by itself. */
export function intervalsTable(scope: Scope, kind: ValueKind | undefined, column: number): string {
  const { dialect } = scope;
  return statement(
    storedSpans(scope, column),
    `SELECT f AS id, visible_id, ${shownValue(dialect, kind, SAID)} AS value, ${stateOf("v")} AS state,
  ${spanTimes(dialect)}
FROM spans ORDER BY f, from_us`,
  );
}
