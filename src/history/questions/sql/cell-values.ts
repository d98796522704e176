import { resources } from "../../../api/resources.js";
import type { BaseField } from "../../../tables/read/feature-columns.js";
import type { ValuePlaces } from "../../columns/value-places.js";
import type { Dialect } from "./dialect/dialect.js";

/** What stands for a value that is not known, where values are JSON texts: no JSON text is like that. */
export const UNKNOWN_MARK = "?";

/** What stands before the JSON text of a value that was never changed. */
export const UNCHANGED_MARK = "=";

/** Microseconds that are before all others; a double holds them exactly. */
export const BEGINNING_US = -(2 ** 62);

/** What a stored column's type is: what all its values are, or what its definition says that they are. */
export type ValueKind = "number" | "integer" | "boolean" | "date" | "instant" | "text";

/** As JSON texts. */
const INTEGER = "^-?[0-9]+$";
const DATE = '^"[0-9]{4}-[0-9]{2}-[0-9]{2}"$';

/**
 * A value as a stored result shows it: numbers and booleans where a column has nothing else, otherwise text, where a
 * text comes without its quotes and everything else as its JSON. Null where it is null, not known, or not of the kind.
 *
 * @param value JSON text, or the mark of an unknown value
 */
export function shownValue(dialect: Dialect, kind: ValueKind | undefined, value: string): string {
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
 * A value as it was logged, as JSON text; null where it is null or not known.
 *
 * @param value JSON text, or the mark of an unknown value
 */
export function loggedValue(value: string): string {
  return `CASE WHEN ${value} NOT IN ('null', '${UNKNOWN_MARK}') THEN ${value} END`;
}

/** The state of a cell that exists, by its value as JSON text, with a mark or as one. */
export function stateOf(value: string): string {
  return `CASE WHEN ${value} = '${UNKNOWN_MARK}' THEN 'unknown' WHEN substr(${value}, 1, 1) = '${UNCHANGED_MARK}' THEN 'unchanged'
    WHEN ${value} = 'null' THEN 'cleared' ELSE 'logged' END`;
}

/** A value without the mark before it that it was never changed. */
export function unmarked(value: string): string {
  return `CASE WHEN substr(${value}, 1, 1) = '${UNCHANGED_MARK}' THEN substr(${value}, 2) ELSE ${value} END`;
}

/** Whether a step from one JSON text to another leads to an earlier value; null where one is not in the order. */
export function backward(dialect: Dialect, places: ValuePlaces, from: string, to: string): string {
  const cases = Array.from(places.entries, ([json, place]) => `WHEN ${dialect.text(json)} THEN ${place}`).join(" ");
  const placeOf = (value: string) => (cases === "" ? dialect.none("bigint") : `CASE ${value} ${cases} END`);
  return `${placeOf(to)} < ${placeOf(from)}`;
}

/** A field of `layer_features f` as a stored result shows it: instants with their type, the geometry as GeoJSON text. */
export function baseColumn(dialect: Dialect, field: BaseField): string {
  const { type } = resources.layerFeatures.fields[field];
  if (type === "geometry") return dialect.memberJson("f.record", field);
  return type === "timestamp" ? dialect.instant(dialect.us(`f.${field}`)) : `f.${field}`;
}
