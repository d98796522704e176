import type { Scope } from "../scope/scope.js";
import { oneOf, whereOwnChanges } from "../scope/where.js";

/** The distinct arrays that some keys were changed to: `v`, JSON texts. */
export function loggedArrays(scope: Scope, keys: readonly string[]): string {
  const ofKeys = oneOf(scope.dialect, "c.property_key", keys);
  return `SELECT DISTINCT c.new_value AS v FROM ${scope.dialect.table("property_changes")} c
WHERE substr(c.new_value, 1, 1) = '[' AND ${ofKeys} AND ${whereOwnChanges(scope, "c")}`;
}
