import { leadingFields, trailingFields } from "../../../layer/layer-data.js";
import { featMember } from "../members/feature-members.js";
import { presentValues } from "../members/present-values.js";
import type { Scope } from "../scope/scope.js";
import { statement } from "../scope/statement.js";
import { storedNames } from "../scope/stored-names.js";
import { baseColumn } from "../values/base-column.js";
import { shownValue, type ValueKind } from "../values/shown-value.js";

/**
 * The layer as it is, complete by itself.
 *
 * @param kinds of the scope's columns
 */
export function presentTable(scope: Scope, kinds: readonly ValueKind[]): string {
  const { dialect } = scope;
  const fields = [...leadingFields, ...trailingFields];
  const columns = scope.columns.map((_, column) => column);
  const names = storedNames(dialect, fields, scope.columns, columns);
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
