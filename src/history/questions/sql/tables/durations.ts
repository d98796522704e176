import { US_PER_DAY } from "../../../../core/instant.js";
import { BEGINNING_US, shownValue, stateOf, type ValueKind } from "../cell-values.js";
import { presentMembers } from "../cte/feature-ctes.js";
import { SAID, spanMembers, storedSpans } from "../cte/interval-ctes.js";
import { usLiteral } from "../dialect/literals.js";
import { type Scope, statement } from "../scope.js";

/** What durations ask. */
export interface DurationsQuery {
  readonly column: number;
  /** The last microsecond that counts, and where stretches that still hold are cut. */
  readonly lastUs: number;
  readonly endUs: number;
}

/** How long each feature held each value: `f`, `v` (JSON text, or a mark), `held` microseconds, `visits`; in order. */
export function stayRows(scope: Scope, { column, lastUs, endUs }: DurationsQuery): string {
  return statement(
    [...presentMembers(scope), ...spanMembers(scope, column)],
    `SELECT CAST(f AS DOUBLE) AS feature, v, CAST(${held(endUs)} AS DOUBLE) AS held, CAST(count(*) AS DOUBLE) AS visits
FROM spans WHERE from_us <= ${usLiteral(lastUs)} GROUP BY f, v ORDER BY f, min(from_us)`,
  );
}

/** How long each feature held each value, complete by itself. */
export function durationsTable(scope: Scope, kind: ValueKind | undefined, query: DurationsQuery): string {
  const { column, lastUs, endUs } = query;
  const days = `CASE WHEN first_us = ${usLiteral(BEGINNING_US)} THEN CAST('Infinity' AS DOUBLE)
    ELSE CAST(held AS DOUBLE) / ${US_PER_DAY} END`;
  return statement(
    [
      ...storedSpans(scope, column),
      // DuckDB does not bind expressions over what is grouped by.
      `stays AS (SELECT f, visible_id, v, now0, min(from_us) AS first_us, ${held(endUs)} AS held, count(*) AS visits
  FROM spans WHERE from_us <= ${usLiteral(lastUs)} GROUP BY f, visible_id, v, now0)`,
    ],
    `SELECT f AS id, visible_id, ${shownValue(scope.dialect, kind, SAID)} AS value, ${stateOf("v")} AS state,
  ${days} AS days, visits
FROM stays ORDER BY f, first_us`,
  );
}

function held(endUs: number): string {
  const end = usLiteral(endUs);
  return `sum(CASE WHEN to_us IS NULL OR to_us > ${end} THEN ${end} ELSE to_us END - from_us)`;
}
