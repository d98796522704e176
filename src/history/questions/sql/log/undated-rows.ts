import type { Scope } from "../scope/scope.js";
import { whereOwnChanges } from "../scope/where.js";

/** The first changes whose time does not exist: `id`, ascending. */
export function undatedRows(scope: Scope, count: number): string {
  return `SELECT c.id AS id FROM ${scope.dialect.table("property_changes")} c
WHERE c.created_at IS NULL AND ${whereOwnChanges(scope, "c")} ORDER BY c.id LIMIT ${count}`;
}
