import type { ValueKind } from "../../../api/property-types.js";
import { resources } from "../../../api/resources.js";
import { DAY } from "../../../core/calendar-period.js";
import type { BaseField } from "../../../tables/read/feature-columns.js";
import type { CellState } from "../../cell/cell-state.js";
import type { ValueRanks } from "../../columns/step-order.js";
import type { Dialect } from "./dialect/dialect.js";

export type { ValueKind };

/** Mark of an unknown value among JSON strings; not valid JSON itself. */
export const UNKNOWN_MARK = "?";

/** Prefix of the JSON text of a value that was never changed. */
export const UNCHANGED_MARK = "=";

/** Microseconds before all times; exact as a double. */
export const BEGINNING_US = -(2 ** 62);

/** Microseconds after all times; exact as a double. */
export const NEVER_US = 2 ** 62;

/** As JSON text. */
const INTEGER = "^-?[0-9]+$";
const DATE = `^"${DAY}"$`;

/**
 * A value in a stored result: numbers and booleans if the column has nothing else, otherwise text (strings without
 * quotes, other values as JSON). Null if it is null, unknown, or not of the kind.
 *
 * @param value JSON text, or the mark of an unknown value
 */
export function castValue(dialect: Dialect, kind: ValueKind | undefined, value: string): string {
  if (kind === "number") return dialect.tryCast(value, "double");
  if (kind === "boolean") return `CASE ${value} WHEN 'true' THEN true WHEN 'false' THEN false END`;
  if (kind === "integer")
    return `CASE WHEN ${dialect.matches(value, INTEGER)} THEN ${dialect.tryCast(value, "bigint")} END`;
  if (kind === "date")
    return `CASE WHEN ${dialect.matches(value, DATE)} THEN ${dialect.tryCast(`substr(${value}, 2, 10)`, "date")} END`;
  if (kind === "instant" && dialect.instantOf) return dialect.instantOf(value);
  return `CASE WHEN ${value} IN ('null', '${UNKNOWN_MARK}') THEN NULL WHEN substr(${value}, 1, 1) = '"' THEN ${dialect.stringOf(value)}
    ELSE ${value} END`;
}

/**
 * A value as it was logged, as JSON text; null if it is null or unknown.
 *
 * @param value JSON text, or the mark of an unknown value
 */
export function loggedValue(value: string): string {
  return `CASE WHEN ${value} NOT IN ('null', '${UNKNOWN_MARK}') THEN ${value} END`;
}

/**
 * The state of a cell, by its value as JSON text, with a mark or as one.
 *
 * @param absent condition that its feature does not exist, if that is possible
 */
export function stateOf(value: string, absent?: string): string {
  return stateWhere({
    ...(absent === undefined ? {} : { absent }),
    unknown: `${value} = '${UNKNOWN_MARK}'`,
    unchanged: `substr(${value}, 1, 1) = '${UNCHANGED_MARK}'`,
    cleared: `${value} = 'null'`,
  });
}

/**
 * The state of a cell: the first whose condition is true, else `logged`.
 *
 * @param conditions in the order in which they are tested
 */
export function stateWhere(
  conditions: Readonly<Record<Exclude<CellState, "logged" | "absent">, string>> & { readonly absent?: string },
): string {
  const cases = Object.entries(conditions).map(([state, condition]) => `WHEN ${condition} THEN '${state}'`);
  return `CASE ${cases.join(" ")} ELSE '${"logged" satisfies CellState}' END`;
}

/** A value without the mark of an unchanged value. */
export function unmarked(value: string): string {
  return `CASE WHEN substr(${value}, 1, 1) = '${UNCHANGED_MARK}' THEN substr(${value}, 2) ELSE ${value} END`;
}

/** Whether a step from one JSON text to another leads to an earlier value; null if one is missing from the order. */
export function backward(dialect: Dialect, ranks: ValueRanks, from: string, to: string): string {
  const cases = Array.from(ranks.entries, ([json, index]) => `WHEN ${dialect.text(json)} THEN ${index}`).join(" ");
  const placeOf = (value: string) => (cases === "" ? dialect.none("bigint") : `CASE ${value} ${cases} END`);
  return `${placeOf(to)} < ${placeOf(from)}`;
}

/** A field of `layer_features f` in a stored result: instants with their type, the geometry as GeoJSON text. */
export function baseColumn(dialect: Dialect, field: BaseField): string {
  const { type } = resources.layerFeatures.fields[field];
  if (type === "geometry") return dialect.memberJson("f.record", field);
  return type === "timestamp" ? dialect.instant(dialect.us(`f.${field}`)) : `f.${field}`;
}
