import type { Column } from "../../tables/column/column.js";
import { propertyNames } from "../columns/property-names.js";

/**
 * The column that `by` adds to a result, if there is one.
 *
 * @param own names of the result's own columns
 */
export function groupColumn<T>(
  by: string | undefined,
  own: readonly string[],
  rows: readonly T[],
  groupOf: (row: T) => unknown,
): (readonly [string, Column])[] {
  return by === undefined ? [] : propertyNames([by], own).map((name) => [name, rows.map(groupOf)]);
}
