import type { Scope } from "../scope/scope.js";
import { UNCHANGED_MARK, UNKNOWN_MARK } from "../values/marks.js";
import { type Carried, presentMembers } from "./feature-members.js";
import { spanMembers } from "./span-members.js";

/**
 * `moves`: the stretches of a column before which a change had set another value: `f`, `a` (that value) and `b` as JSON
 * texts, `held` (how long the first had been there, microseconds), `id` and `us` of the change.
 *
 * @param carried columns of `present` that come along
 * @param told columns of the change that come along, over `property_changes c`
 */
export function moveMembers(
  scope: Scope,
  column: number,
  carried: readonly Carried[] = [],
  told: readonly Carried[] = [],
): string[] {
  const names = carried.map(({ name }) => name);
  const along = [...names, ...told.map(({ name }) => name)].map((name) => `, ${name}`).join("");
  const before = (value: string) => `lag(${value}) OVER (PARTITION BY f ORDER BY from_us)`;
  return [
    ...presentMembers(scope, carried),
    ...spanMembers(scope, column, names, told),
    `followed AS (SELECT f${along}, id, ${before("v")} AS a, v AS b, from_us AS us, from_us - ${before("from_us")} AS held FROM spans)`,
    `moves AS (SELECT * FROM followed WHERE a IS NOT NULL AND a NOT IN ('${UNCHANGED_MARK}', '${UNKNOWN_MARK}'))`,
  ];
}
