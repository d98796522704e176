import type { Scope } from "../scope/scope.js";
import { oneOf, whereOwnChanges } from "../scope/where.js";
import { shownValue, type ValueKind } from "../values/shown-value.js";

/**
 * The keys, as `k`, under which a value was logged that is null in a stored column.
 *
 * @param kinds of the columns, by key
 */
export function mistypedRows(scope: Scope, kinds: ReadonlyMap<string, ValueKind>): string {
  const { dialect } = scope;
  const lost = [...new Set(kinds.values())].map((kind) => {
    const keys = [...kinds].flatMap(([key, own]) => (own === kind ? [key] : []));
    return `(${oneOf(dialect, "c.property_key", keys)} AND ${shownValue(dialect, kind, "c.new_value")} IS NULL)`;
  });
  return `SELECT DISTINCT c.property_key AS k FROM ${dialect.table("property_changes")} c
WHERE ${whereOwnChanges(scope, "c")} AND c.created_at IS NOT NULL AND c.new_value <> 'null' AND (${lost.join(" OR ")})`;
}
