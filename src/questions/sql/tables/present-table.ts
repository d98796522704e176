import { leadingFields, trailingFields } from "../../../layer/layer-data.js";
import { featMember } from "../members/feature-members.js";
import { presentValues } from "../members/present-values.js";
import type { Scope } from "../scope/scope.js";
import { statement } from "../scope/statement.js";
import { baseColumn } from "../values/base-column.js";
import { shownValue, type ValueKind } from "../values/shown-value.js";
import { layerNames } from "./as-of.js";

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
  const { dialect } = scope;
  const fields = [...leadingFields, ...trailingFields];
  const names = layerNames(scope, columns);
  const now = presentValues(scope, columns, "now");
  const carried = fields.map((field, place) => ({ name: `base${place}`, sql: baseColumn(dialect, field) }));
  const base = fields.map((_, place) => `base${place} AS ${names.own[place]}`);
  const properties = columns.map(
    (column, place) => `${shownValue(dialect, kinds[column], `now${place}`)} AS ${names.properties[place]}`,
  );
  const selected = [...base.slice(0, leadingFields.length), ...properties, ...base.slice(leadingFields.length)];
  return statement(
    [...now.members, featMember(scope, [...carried, ...now.carried], now.joins)],
    `SELECT ${selected.join(",\n  ")}\nFROM feat ORDER BY 1`,
  );
}
