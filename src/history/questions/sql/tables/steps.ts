import { US_PER_DAY } from "../../../../core/instant.js";
import type { ValuePlaces } from "../../../columns/value-places.js";
import { backward, shownValue, type ValueKind } from "../cell-values.js";
import type { Carried } from "../cte/feature-ctes.js";
import { moveMembers, visibleId } from "../cte/interval-ctes.js";
import { type Scope, statement } from "../scope.js";

/** Each step: `f`, `a`, `b` (JSON texts), `held`, `id`, `us`, `user_id`, `is_system`; in order. */
export function stepRows(scope: Scope, column: number): string {
  return statement(
    moveMembers(scope, column, [], told(scope)),
    `SELECT CAST(f AS DOUBLE) AS feature, a, b, CAST(held AS DOUBLE) AS held_time, id, CAST(us AS DOUBLE) AS made,
  CAST(user_id AS DOUBLE) AS made_by, is_system
FROM moves ORDER BY f, us`,
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
    moveMembers(scope, column, [visibleId], told(scope)),
    `SELECT f AS id, visible_id, ${shown("a")} AS ${dialect.identifier("from")}, ${shown("b")} AS ${dialect.identifier("to")},
  CAST(held AS DOUBLE) / ${US_PER_DAY} AS days, CAST(id AS ${dialect.textType}) AS change_id, ${dialect.instant("us")} AS changed_at,
  us AS changed_at_us, user_id, is_system AS ${dialect.identifier("system")}${places ? `,\n  ${backward(dialect, places, "a", "b")} AS backward` : ""}
FROM moves ORDER BY f, us`,
  );
}

/** Who made a step. */
function told({ dialect }: Scope): readonly Carried[] {
  return [
    { name: "user_id", sql: "c.user_id" },
    { name: "is_system", sql: `c.${dialect.identifier("system")}` },
  ];
}
