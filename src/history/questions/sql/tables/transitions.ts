import { US_PER_DAY } from "../../../../core/instant.js";
import type { ValuePlaces } from "../../../columns/value-places.js";
import { backward, shownValue, type ValueKind } from "../cell-values.js";
import { moveMembers } from "../cte/interval-ctes.js";
import { type Scope, statement } from "../scope.js";

/** How often one value followed another: `a`, `b` (JSON texts), `n`, `median_us`. */
export function transitionRows(scope: Scope, column: number): string {
  return statement(pairMembers(scope, column), "SELECT a, b, CAST(n AS DOUBLE) AS n, median_us FROM medians");
}

/** How often one value followed another, complete by itself. */
export function transitionsTable(
  scope: Scope,
  kind: ValueKind | undefined,
  column: number,
  places: ValuePlaces | undefined,
): string {
  const { dialect } = scope;
  const shown = (value: string) => shownValue(dialect, kind, value);
  return statement(
    pairMembers(scope, column),
    `SELECT ${shown("a")} AS ${dialect.identifier("from")}, ${shown("b")} AS ${dialect.identifier("to")},
  n AS ${dialect.identifier("count")}, median_us / ${US_PER_DAY} AS median_days${places ? `,\n  ${backward(dialect, places, "a", "b")} AS backward` : ""}
FROM medians ORDER BY n DESC, a, b`,
  );
}

/** `medians`: engines have no median in common that is exact, so the middle of those in order is taken. */
function pairMembers(scope: Scope, column: number): string[] {
  const { quotient } = scope.dialect;
  return [
    ...moveMembers(scope, column),
    `ordered AS (SELECT a, b, held, row_number() OVER (PARTITION BY a, b ORDER BY held) AS place,
    count(*) OVER (PARTITION BY a, b) AS n FROM moves)`,
    `medians AS (SELECT a, b, n, avg(CAST(held AS DOUBLE)) AS median_us
  FROM ordered WHERE place IN (${quotient("(n + 1)", "2")}, ${quotient("(n + 2)", "2")}) GROUP BY a, b, n)`,
  ];
}
