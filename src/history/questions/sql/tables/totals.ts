import { shownValue, UNKNOWN_MARK, unmarked, type ValueKind } from "../cell-values.js";
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
import type { Dialect } from "../dialect/dialect.js";
import { type Scope, statement } from "../scope.js";

/** `numbers`: the steps with the number that is added or taken away, null where the value is none. */
function numbersMember(dialect: Dialect, kind: SummandKind): string {
  const number = `CAST(${shownValue(dialect, kind, "said")} AS DOUBLE)`;
  return `numbers AS (SELECT f, place, step, v, g, said, ${number} AS number
  FROM (SELECT f, place, step, v, g, ${unmarked("v")} AS said FROM steps) told)`;
}

/** What is added up: numbers, or only those that are integers. */
export type SummandKind = "number" | "integer";

const SUMS = `coalesce(sum(step * number), 0) AS total, sum(CASE WHEN number IS NULL THEN 0 ELSE step END) AS counted,
    sum(CASE WHEN v = '${UNKNOWN_MARK}' THEN step ELSE 0 END) AS unknown, sum(step) AS present,
    sum(CASE WHEN number IS NULL AND said NOT IN ('null', '${UNKNOWN_MARK}') THEN step ELSE 0 END) AS other`;

/**
 * What the numbers that features hold come to, more or less, from a date on: `g`, `place`, `total`, `counted`, `unknown`
 * and `present` features, and `example`, a feature of the group.
 */
export function totalRows(scope: Scope, query: StepsQuery, kind: SummandKind): string {
  return statement(
    [
      ...stepMembers(scope, query, groupKey(scope.dialect, query.by)),
      numbersMember(scope.dialect, kind),
      `sums AS (SELECT g, place, min(f) AS example, ${SUMS} FROM numbers GROUP BY g, place)`,
    ],
    `SELECT ${query.by.kind === "column" ? "g" : `'' AS grouped`}, CAST(place AS DOUBLE) AS first_date, total,
  CAST(counted AS DOUBLE) AS n, CAST(unknown AS DOUBLE) AS n_unknown, CAST(present AS DOUBLE) AS n_present,
  CAST(other AS DOUBLE) AS n_other, CAST(example AS DOUBLE) AS feature
FROM sums`,
  );
}

/** Sums of the numbers in a column at each date, complete by itself. */
export function totalsTable(
  scope: Scope,
  kinds: readonly (ValueKind | undefined)[],
  query: StoredSteps,
  kind: SummandKind,
): string {
  const { dialect } = scope;
  const isGrouped = query.by.kind !== "none";
  const { own, leading } = datedColumns(scope, kinds, query.by, ["date", "sum", "count", "unknown"]);
  const [, sum, count, unknown] = own;
  const all = (name: string) => `coalesce(sum(${name}), 0) AS ${name}`;
  return statement(
    [
      ...stepMembers(scope, query, storedGroupKey(dialect, query.by)),
      numbersMember(dialect, kind),
      ...dateMembers(dialect, query.dates),
      `grouped AS (SELECT place, step, v, said, number, ${groupValue(query.by)} AS g FROM numbers)`,
      `sums AS (SELECT g, place, ${SUMS} FROM grouped GROUP BY g, place)`,
      // Without groups there is a row for each date, also where there is no feature yet.
      `dated AS (SELECT asked, date_text, g, ${["total", "counted", "unknown", "present"].map(all).join(", ")}
  FROM dates ${isGrouped ? "" : "LEFT "}JOIN sums ON date_place >= place GROUP BY asked, date_text, g)`,
    ],
    `SELECT ${leading}, CASE WHEN counted = 0 THEN 0 ELSE total END AS ${sum}, counted AS ${count}, dated.unknown AS ${unknown}
FROM dated${isGrouped ? "\nWHERE present > 0" : ""}
ORDER BY dated.asked, dated.g`,
  );
}
