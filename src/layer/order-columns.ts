import { compareText } from "../core/json.js";
import type { NamedColumn } from "./name-columns.js";
import { canonicalKey } from "./property-key.js";

/**
 * Property columns in display order: by layout, a merged column at the first position of its keys; then the others by name,
 * in code unit order.
 */
export function orderColumns(columns: readonly NamedColumn[], layout: readonly string[]): readonly NamedColumn[] {
  const indexByKey = new Map(layout.map((key, index) => [canonicalKey(key), index]));
  const placeOf = ({ keys }: NamedColumn) =>
    Math.min(...keys.map(({ key }) => indexByKey.get(canonicalKey(key)) ?? Number.POSITIVE_INFINITY));
  const placed = columns.map((column) => ({ column, place: placeOf(column) }));
  placed.sort((a, b) => (a.place === b.place ? compareText(a.column.column, b.column.column) : a.place - b.place));
  return placed.map(({ column }) => column);
}
