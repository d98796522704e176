import type { Diagnostic } from "../../../../core/diagnostic.js";
import type { StageCredits } from "../../../columns/credits.js";
import { INVALID, MISSING, Weightless, type Weights } from "../../../columns/weights.js";
import { type QuestionData, queryInBatches } from "../../engine/query-in-batches.js";
import type { AskedDates } from "../../plan/dated-plan.js";
import { readRows } from "../../rows/listed-rows.js";
import { castValue, UNKNOWN_MARK, unmarked } from "../cell-values.js";
import type { Dialect } from "../dialect/dialect.js";
import { statement } from "../statement-scope.js";
import { type DeltasQuery, deltaCtes } from "./delta-ctes.js";

/** A weight as a number; null for a feature without one. */
export function weightOf(dialect: Dialect, { areIntegers }: Weights, value: string): string {
  return dialect.double(castValue(dialect, areIntegers ? "integer" : "number", value));
}

/** `weighed`: the rows of `steps` with `weight`; null if the weight is missing or cannot be added. */
export function weighedCte(dialect: Dialect, weights: Weights): string {
  const columns = "f, place, step, v, g, w";
  return `weighed AS (SELECT ${columns}, CASE WHEN weight_number >= 0 THEN weight_number END AS weight
  FROM (SELECT ${columns}, ${weightOf(dialect, weights, unmarked("w"))} AS weight_number FROM steps) numbered)`;
}

/** The share that a value earns; null if it has none. */
export function shareOf(dialect: Dialect, { stages }: StageCredits, value: string): string {
  const cases = stages.flatMap(([stage, share]) =>
    jsonTexts(stage).map((json) => `WHEN ${value} = ${dialect.text(json)} THEN ${share}`),
  );
  return dialect.double(`CASE WHEN ${value} IN ('null', '${UNKNOWN_MARK}') THEN NULL ${cases.join(" ")} ELSE 0 END`);
}

/** The values of a stage in credits: the string itself, and the JSON value that it may spell. */
function jsonTexts(stage: string): readonly string[] {
  const text = JSON.stringify(stage);
  try {
    const value: unknown = JSON.parse(stage);
    return typeof value === "string" || value === null ? [text] : [text, stage];
  } catch {
    return [text];
  }
}

/** Approximate number of changes of a feature in a column. */
const CELLS = 4;

/**
 * Diagnostics about the features that have no weight at some date; empty without weights.
 *
 * @throws ArgumentError if no value is a weight
 */
export async function askWeightless(
  data: QuestionData,
  weights: Weights | undefined,
  { datesUs, isEmpty }: Pick<AskedDates, "datesUs" | "isEmpty">,
  signal: AbortSignal | undefined,
): Promise<readonly Diagnostic[]> {
  if (!weights || isEmpty) return [];
  const weightless = new Weightless();
  const asked: DeltasQuery = { column: weights.column as number, datesUs, by: { kind: "none" } };
  const number = (dialect: Dialect) => weightOf(dialect, weights, unmarked("v"));
  const rows = queryInBatches(
    data,
    CELLS,
    (scope) =>
      statement(
        [
          ...deltaCtes(scope, asked, undefined),
          "held AS (SELECT f, place, v FROM steps GROUP BY f, place, v HAVING sum(step) > 0)",
          `judged AS (SELECT f, CASE WHEN ${unmarked("v")} IN ('null', '${UNKNOWN_MARK}') THEN 'missing'
    WHEN coalesce(${number(scope.dialect)}, -1) < 0 THEN 'invalid' ELSE 'weighed' END AS kind FROM held)`,
        ],
        // One feature with a weight is enough.
        `SELECT ${scope.dialect.double("f")} AS feature, kind FROM judged WHERE kind <> 'weighed' GROUP BY f, kind
UNION ALL SELECT ${scope.dialect.double("min(f)")}, kind FROM judged WHERE kind = 'weighed' GROUP BY kind`,
      ),
    signal,
  );
  const { length, f, kind } = await readRows(data, { f: "number", kind: "text" } as const, rows);
  for (let row = 0; row < length; row += 1) {
    weightless.add(kind(row) === "weighed" ? 0 : kind(row) === "invalid" ? INVALID : MISSING, f(row));
  }
  return weightless.diagnostics(weights);
}
