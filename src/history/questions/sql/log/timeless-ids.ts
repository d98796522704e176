import { knownUs } from "../members/feature-members.js";
import type { Scope } from "../scope/scope.js";
import { whereOwnChanges } from "../scope/where.js";

/** The first change that is known whose id does not say when it was inserted, as it is no UUIDv7: `id`. */
export function timelessIds(scope: Scope): string {
  const isVersion7 = "substr(c.id, 15, 1) = '7' AND substr(c.id, 20, 1) IN ('8', '9', 'a', 'b')";
  return `SELECT min(c.id) AS id FROM ${scope.dialect.table("property_changes")} c
WHERE ${knownUs(scope, "c")} IS NOT NULL AND NOT (${isVersion7}) AND ${whereOwnChanges(scope, "c")}`;
}
