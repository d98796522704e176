import { US_PER_DAY } from "../../../core/instant.js";
import type { ValuePlaces } from "../../../history/columns/value-places.js";
import { type Carried, presentMembers } from "../members/feature-members.js";
import { spanMembers } from "../members/span-members.js";
import { visibleId } from "../members/stored-spans.js";
import type { Scope } from "../scope/scope.js";
import { statement } from "../scope/statement.js";
import { backward } from "../values/backward.js";
import { UNCHANGED_MARK, UNKNOWN_MARK } from "../values/marks.js";
import { shownValue, type ValueKind } from "../values/shown-value.js";

/** Each step: `f`, `a`, `b` (JSON texts), `held`, `id`, `us`, `user_id`, `is_system`; in order. */
export function stepRows(scope: Scope, column: number): string {
  return statement(
    stepMembers(scope, column, []),
    `SELECT CAST(f AS DOUBLE) AS feature, a, b, CAST(held AS DOUBLE) AS held_time, id, CAST(us AS DOUBLE) AS made,
  CAST(user_id AS DOUBLE) AS made_by, is_system
FROM steps ORDER BY f, us`,
  );
}

/** Each step, complete by itself. */
export function stepsTable(
  scope: Scope,
  kind: ValueKind | undefined,
  column: number,
  places: ValuePlaces | undefined,
): string {
  const { dialect } = scope;
  const shown = (value: string) => shownValue(dialect, kind, value);
  return statement(
    stepMembers(scope, column, [visibleId]),
    `SELECT f AS id, visible_id, ${shown("a")} AS ${dialect.identifier("from")}, ${shown("b")} AS ${dialect.identifier("to")},
  CAST(held AS DOUBLE) / ${US_PER_DAY} AS days, CAST(id AS ${dialect.textType}) AS change_id, ${dialect.instant("us")} AS changed_at,
  us AS changed_at_us, user_id, is_system AS ${dialect.identifier("system")}${places ? `,\n  ${backward(dialect, places, "a", "b")} AS backward` : ""}
FROM steps ORDER BY f, us`,
  );
}

/** `steps`: the stretches of a column before which a change had set another value. */
function stepMembers(scope: Scope, column: number, carried: readonly Carried[]): string[] {
  const { dialect } = scope;
  const told = [
    { name: "user_id", sql: "c.user_id" },
    { name: "is_system", sql: `c.${dialect.identifier("system")}` },
  ];
  const names = carried.map(({ name }) => name);
  const along = names.map((name) => `, ${name}`).join("");
  const before = (value: string) => `lag(${value}) OVER (PARTITION BY f ORDER BY from_us)`;
  return [
    ...presentMembers(scope, carried),
    ...spanMembers(scope, column, names, told),
    `moves AS (SELECT f${along}, id, user_id, is_system, ${before("v")} AS a, v AS b, from_us AS us, from_us - ${before("from_us")} AS held FROM spans)`,
    `steps AS (SELECT * FROM moves WHERE a IS NOT NULL AND a NOT IN ('${UNCHANGED_MARK}', '${UNKNOWN_MARK}'))`,
  ];
}
