import { groupKey, groupValue, storedGroupKey } from "../members/grouping.js";
import { type StepsQuery, stepMembers } from "../members/step-members.js";
import { datedColumns, dateMembers, type StoredSteps } from "../members/stored-dates.js";
import type { Scope } from "../scope/scope.js";
import { statement } from "../scope/statement.js";
import { UNKNOWN_MARK } from "../values/marks.js";
import type { ValueKind } from "../values/shown-value.js";
import { unmarked } from "../values/unmarked.js";

/** `numbers`: the steps with the number that is added or taken away, null where the value is none. */
const NUMBERS = `numbers AS (SELECT f, place, step, v, g, TRY_CAST(${unmarked("v")} AS DOUBLE) AS number FROM steps)`;

const SUMS = `coalesce(sum(step * number), 0) AS total, sum(CASE WHEN number IS NULL THEN 0 ELSE step END) AS counted,
    sum(CASE WHEN v = '${UNKNOWN_MARK}' THEN step ELSE 0 END) AS unknown, sum(step) AS present`;

/**
 * What the numbers that features hold come to, more or less, from a date on: `g`, `place`, `total`, `counted`, `unknown`
 * and `present` features, and `example`, a feature of the group.
 */
export function totalRows(scope: Scope, query: StepsQuery): string {
  return statement(
    [
      ...stepMembers(scope, query, groupKey(scope.dialect, query.by)),
      NUMBERS,
      `sums AS (SELECT g, place, min(f) AS example, ${SUMS} FROM numbers GROUP BY g, place)`,
    ],
    `SELECT ${query.by.kind === "column" ? "g" : `'' AS grouped`}, CAST(place AS DOUBLE) AS first_date, total,
  CAST(counted AS DOUBLE) AS n, CAST(unknown AS DOUBLE) AS n_unknown, CAST(present AS DOUBLE) AS n_present,
  CAST(example AS DOUBLE) AS feature
FROM sums`,
  );
}

/** Sums of the numbers in a column at each date, complete by itself. */
export function totalsTable(scope: Scope, kinds: readonly (ValueKind | undefined)[], query: StoredSteps): string {
  const { dialect } = scope;
  const isGrouped = query.by.kind !== "none";
  const { own, leading } = datedColumns(scope, kinds, query.by, ["date", "sum", "count", "unknown"]);
  const [, sum, count, unknown] = own;
  const all = (name: string) => `coalesce(sum(${name}), 0) AS ${name}`;
  return statement(
    [
      ...stepMembers(scope, query, storedGroupKey(dialect, query.by)),
      NUMBERS,
      ...dateMembers(dialect, query.dates),
      `grouped AS (SELECT place, step, v, number, ${groupValue(query.by)} AS g FROM numbers)`,
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
