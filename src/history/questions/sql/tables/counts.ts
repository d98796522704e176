import { shownValue, stateOf, unmarked, type ValueKind } from "../cell-values.js";
import {
  datedColumns,
  dateMembers,
  groupKey,
  groupValue,
  type StepsQuery,
  type StoredSteps,
  stepMembers,
  storedGroupKey,
} from "../cte/step-ctes.js";
import { type Scope, statement } from "../scope.js";

/**
 * How many features more or less hold what from a date on: `v` and `g` as in `steps`, `place`, `n`, and `example`, a
 * feature of the group.
 */
export function countRows(scope: Scope, query: StepsQuery): string {
  return statement(
    stepMembers(scope, query, groupKey(scope.dialect, query.by)),
    `SELECT v, ${query.by.kind === "column" ? "g" : `'' AS grouped`}, CAST(place AS DOUBLE) AS first_date,
  CAST(sum(step) AS DOUBLE) AS n, CAST(min(f) AS DOUBLE) AS example
FROM steps GROUP BY v, g, place`,
  );
}

/** How many features hold each value at each date, complete by itself. */
export function countsTable(scope: Scope, kinds: readonly (ValueKind | undefined)[], query: StoredSteps): string {
  const { dialect } = scope;
  const said = shownValue(dialect, kinds[query.column], unmarked("v"));
  const { own, leading } = datedColumns(scope, kinds, query.by, ["date", "state", "value", "count"]);
  const [, state, value, count] = own;
  return statement(
    [
      ...stepMembers(scope, query, storedGroupKey(dialect, query.by)),
      ...dateMembers(dialect, query.dates),
      `sums AS (SELECT place, v, ${groupValue(query.by)} AS g, sum(step) AS step FROM steps GROUP BY place, v, ${groupValue(query.by)})`,
      `dated AS (SELECT asked, date_text, g, v, sum(step) AS n FROM sums JOIN dates ON date_place >= place
  GROUP BY asked, date_text, g, v HAVING sum(step) <> 0)`,
    ],
    `SELECT ${leading}, ${stateOf("v")} AS ${state}, ${said} AS ${value}, n AS ${count}
FROM dated ORDER BY dated.asked, dated.g, dated.v`,
  );
}
