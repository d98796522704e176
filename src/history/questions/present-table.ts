import { loggedValue, shownValue, type ValueKind } from "./sql/cell-values.js";
import { type LayerSelection, layerColumns } from "./sql/cte/layer-columns.js";
import { type Scope, statement } from "./sql/scope.js";

/**
 * The self-contained statement for the current layer.
 *
 * @param selection columns of the layer to select
 * @param kinds kinds of the scope's columns
 */
export function presentTable(
  asked: Scope,
  selection: LayerSelection,
  kinds: readonly (ValueKind | undefined)[],
): string {
  const scope = { ...asked, hasGone: false };
  const { members, selected } = layerColumns(
    scope,
    selection,
    (column, _, now) => shownValue(scope.dialect, kinds[column], now),
    (_, now) => loggedValue(now),
  );
  return statement(members, `SELECT ${selected}\nFROM feat ORDER BY 1`);
}
