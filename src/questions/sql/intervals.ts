import { presentMembers } from "./feature-members.js";
import { BEGINNING_US } from "./marks.js";
import type { Scope } from "./scope.js";
import { shownValue, type ValueKind } from "./shown-value.js";
import { spanMembers } from "./span-members.js";
import { stateOf } from "./state-of.js";
import { statement } from "./statement.js";
import { SAID, storedSpans } from "./stored-spans.js";
import { usLiteral } from "./us-literal.js";

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
  const instant = (us: string) => `CASE WHEN ${us} <> ${usLiteral(BEGINNING_US)} THEN ${dialect.instant(us)} END`;
  return statement(
    storedSpans(scope, column),
    `SELECT f AS id, visible_id, ${shownValue(dialect, kind, SAID)} AS value, ${stateOf("v")} AS state,
  ${instant("from_us")} AS valid_from, ${instant("to_us")} AS valid_to, id AS change_id,
  nullif(from_us, ${usLiteral(BEGINNING_US)}) AS valid_from_us, to_us AS valid_to_us
FROM spans ORDER BY f, from_us`,
  );
}
