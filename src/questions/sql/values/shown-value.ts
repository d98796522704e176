import type { Dialect } from "../dialect/dialect.js";
import { UNKNOWN_MARK } from "./marks.js";

/** What all values of a column are: what a stored column's type is. */
export type ValueKind = "number" | "boolean" | "text";

/**
 * A value as a stored result shows it: numbers and booleans where a column has nothing else, otherwise text, where a
 * text comes without its quotes and everything else as its JSON. Null where it is null or not known.
 *
 * @param value JSON text, or the mark of an unknown value
 */
export function shownValue(dialect: Dialect, kind: ValueKind | undefined, value: string): string {
  if (kind === "number") return `TRY_CAST(${value} AS DOUBLE)`;
  if (kind === "boolean") return `CASE ${value} WHEN 'true' THEN true WHEN 'false' THEN false END`;
  return `CASE WHEN ${value} IN ('null', '${UNKNOWN_MARK}') THEN NULL WHEN substr(${value}, 1, 1) = '"' THEN ${dialect.stringOf(value)}
    ELSE ${value} END`;
}
