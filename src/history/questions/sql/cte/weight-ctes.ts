import type { StageCredits } from "../../../columns/credits.js";
import type { Weights } from "../../../columns/weights.js";
import { castValue, UNKNOWN_MARK, unmarked } from "../cell-values.js";
import type { Dialect } from "../dialect/dialect.js";

/** A weight as a number; null for a feature without one. */
export function weightOf(dialect: Dialect, { areIntegers }: Weights, value: string): string {
  return dialect.double(castValue(dialect, areIntegers ? "integer" : "number", value));
}

/** `weighed`: the rows of `deltas` with `weight`; null if the weight is missing or cannot be added. */
export function weighedCte(dialect: Dialect, weights: Weights): string {
  const columns = "f, place, step, v, g, w";
  return `weighed AS (SELECT ${columns}, CASE WHEN weight_number >= 0 THEN weight_number END AS weight
  FROM (SELECT ${columns}, ${weightOf(dialect, weights, unmarked("w"))} AS weight_number FROM deltas) numbered)`;
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
