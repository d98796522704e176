import { type LayerSelection, layerColumns } from "../members/layer-columns.js";
import type { Scope } from "../scope/scope.js";
import { statement } from "../scope/statement.js";
import { loggedValue } from "../values/logged-value.js";
import { shownValue, type ValueKind } from "../values/shown-value.js";

/**
 * The layer as it is, complete by itself.
 *
 * @param selection of columns that the layer has
 * @param kinds of the scope's columns
 */
export function presentTable(
  scope: Scope,
  selection: LayerSelection,
  kinds: readonly (ValueKind | undefined)[],
): string {
  const { members, selected } = layerColumns(
    scope,
    selection,
    (column, _, now) => shownValue(scope.dialect, kinds[column], now),
    (_, now) => loggedValue(now),
  );
  return statement(members, `SELECT ${selected}\nFROM feat ORDER BY 1`);
}
