import { US_PER_DAY } from "../../core/instant.js";
import { type Carried, presentMembers } from "./feature-members.js";
import { BEGINNING_US, UNCHANGED_MARK, UNKNOWN_MARK } from "./marks.js";
import { presentValues } from "./present-values.js";
import type { Scope } from "./scope.js";
import { shownValue, type ValueKind } from "./shown-value.js";
import { spanMembers } from "./span-members.js";
import { stateOf } from "./state-of.js";
import { statement } from "./statement.js";

const visibleId: Carried = { name: "visible_id", sql: "f.visible_id" };

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
  const instant = (us: string) => `CASE WHEN ${us} <> ${BEGINNING_US} THEN ${dialect.instant(us)} END`;
  return statement(
    storedSpans(scope, column),
    `SELECT f AS id, visible_id, ${shownValue(dialect, kind, SAID)} AS value, ${stateOf("v")} AS state,
  ${instant("from_us")} AS valid_from, ${instant("to_us")} AS valid_to, id AS change_id,
  nullif(from_us, ${BEGINNING_US}) AS valid_from_us, to_us AS valid_to_us
FROM spans ORDER BY f, from_us`,
  );
}

/** What durations ask. */
export interface DurationsQuery {
  readonly column: number;
  /** Where stretches that still hold are cut. */
  readonly endUs: number;
}

/** How long each feature held each value: `f`, `v` (JSON text, or a mark), `held` microseconds, `visits`; in order. */
export function stayRows(scope: Scope, { column, endUs }: DurationsQuery): string {
  return statement(
    [...presentMembers(scope), ...spanMembers(scope, column)],
    `SELECT CAST(f AS DOUBLE) AS feature, v, CAST(${held(endUs)} AS DOUBLE) AS held, CAST(count(*) AS DOUBLE) AS visits
FROM spans WHERE from_us < ${endUs} GROUP BY f, v ORDER BY f, min(from_us)`,
  );
}

/** How long each feature held each value, complete by itself. */
export function durationsTable(scope: Scope, kind: ValueKind | undefined, { column, endUs }: DurationsQuery): string {
  const days = `CASE WHEN min(from_us) = ${BEGINNING_US} THEN CAST('Infinity' AS DOUBLE)
    ELSE CAST(${held(endUs)} AS DOUBLE) / ${US_PER_DAY} END`;
  return statement(
    storedSpans(scope, column),
    `SELECT f AS id, visible_id, ${shownValue(scope.dialect, kind, SAID)} AS value, ${stateOf("v")} AS state,
  ${days} AS days, count(*) AS visits
FROM spans WHERE from_us < ${endUs} GROUP BY f, visible_id, v, now0 ORDER BY f, min(from_us)`,
  );
}

/** How often one value followed another: `a`, `b` (JSON texts), `n`, `median_us`. */
export function transitionRows(scope: Scope, column: number): string {
  return statement(pairMembers(scope, column), "SELECT a, b, CAST(n AS DOUBLE) AS n, median_us FROM medians");
}

/** How often one value followed another, complete by itself. */
export function transitionsTable(scope: Scope, kind: ValueKind | undefined, column: number): string {
  const { dialect } = scope;
  const shown = (value: string) => shownValue(dialect, kind, value);
  return statement(
    pairMembers(scope, column),
    `SELECT ${shown("a")} AS ${dialect.identifier("from")}, ${shown("b")} AS ${dialect.identifier("to")},
  n AS ${dialect.identifier("count")}, median_us / ${US_PER_DAY} AS median_days
FROM medians ORDER BY n DESC, a, b`,
  );
}

/** What a span says, where what was never changed is what is there at present. */
const SAID = `CASE WHEN v = '${UNCHANGED_MARK}' THEN now0 ELSE v END`;

function storedSpans(scope: Scope, column: number): string[] {
  const now = presentValues(scope, [column], "now");
  return [
    ...now.members,
    ...presentMembers(scope, [visibleId, ...now.carried], now.joins),
    ...spanMembers(scope, column, ["visible_id", "now0"]),
  ];
}

function held(endUs: number): string {
  return `sum(CASE WHEN to_us IS NULL OR to_us > ${endUs} THEN ${endUs} ELSE to_us END - from_us)`;
}

/** `medians`: engines have no median in common that is exact, so the middle of those in order is taken. */
function pairMembers(scope: Scope, column: number): string[] {
  const { quotient } = scope.dialect;
  const marks = `'${UNCHANGED_MARK}', '${UNKNOWN_MARK}'`;
  return [
    ...presentMembers(scope),
    ...spanMembers(scope, column),
    "pairs AS (SELECT v AS a, lead(v) OVER (PARTITION BY f ORDER BY from_us) AS b, to_us - from_us AS held FROM spans)",
    `ordered AS (SELECT a, b, held, row_number() OVER (PARTITION BY a, b ORDER BY held) AS place,
    count(*) OVER (PARTITION BY a, b) AS n FROM pairs WHERE b IS NOT NULL AND a NOT IN (${marks}))`,
    `medians AS (SELECT a, b, n, avg(CAST(held AS DOUBLE)) AS median_us
  FROM ordered WHERE place IN (${quotient("(n + 1)", "2")}, ${quotient("(n + 2)", "2")}) GROUP BY a, b, n)`,
  ];
}
