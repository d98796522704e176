import { layerColumns } from "../members/layer-columns.js";
import type { Scope } from "../scope/scope.js";
import { statement } from "../scope/statement.js";
import { shownValue, type ValueKind } from "../values/shown-value.js";

/**
 * The layer as it is, complete by itself.
 *
 * @param columns places in the scope of those that the layer has
 * @param kinds of the scope's columns
 */
export function presentTable(
  scope: Scope,
  columns: readonly number[],
  kinds: readonly (ValueKind | undefined)[],
): string {
  const { members, selected } = layerColumns(scope, columns, (column, place) =>
    shownValue(scope.dialect, kinds[column], `now${place}`),
  );
  return statement(members, `SELECT ${selected}\nFROM feat ORDER BY 1`);
}
