import type { BaseField } from "../../../../tables/read/feature-columns.js";
import type { Dialect } from "../dialect/dialect.js";
import { baseColumn } from "../values/base-column.js";
import { UNKNOWN_MARK } from "../values/marks.js";
import { shownValue, type ValueKind } from "../values/shown-value.js";
import { unmarked } from "../values/unmarked.js";

/** By what the features that are counted are grouped: a base field, a property as of the same date, or not at all. */
export type Grouping =
  | { readonly kind: "none" }
  | { readonly kind: "field"; readonly field: BaseField }
  | { readonly kind: "column"; readonly column: number };

/**
 * What features of one group have in common, over `layer_features f`. Features that differ in it may be of one group all
 * the same: geometries are texts as they were written, and times that do not exist are null.
 */
export function groupKey(dialect: Dialect, by: Grouping): string | undefined {
  if (by.kind !== "field") return undefined;
  if (by.field === "geometry") return "f.id";
  if (by.field !== "created_at" && by.field !== "updated_at") return `f.${by.field}`;
  return `coalesce(${dialect.us(`f.${by.field}`)}, -f.id)`;
}

/** What features of one group have in common, as a stored result shows it, over `layer_features f`. */
export function storedGroupKey(dialect: Dialect, by: Grouping): string | undefined {
  return by.kind === "field" ? baseColumn(dialect, by.field) : undefined;
}

/** What makes the group of a step `g`: of a property its value, in whatever state. */
export function groupValue(by: Grouping): string {
  return by.kind === "column" ? `CASE WHEN g = '${UNKNOWN_MARK}' THEN 'null' ELSE ${unmarked("g")} END` : "g";
}

/** A group as a stored result shows it. */
export function shownGroup(dialect: Dialect, kinds: readonly (ValueKind | undefined)[], by: Grouping): string {
  return by.kind === "column" ? shownValue(dialect, kinds[by.column], "g") : "g";
}
