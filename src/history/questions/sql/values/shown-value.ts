import type { Dialect } from "../dialect/dialect.js";
import { UNKNOWN_MARK } from "./marks.js";

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
  if (kind === "number") return `TRY_CAST(${value} AS DOUBLE)`;
  if (kind === "boolean") return `CASE ${value} WHEN 'true' THEN true WHEN 'false' THEN false END`;
  if (kind === "integer") return `CASE WHEN ${dialect.matches(value, INTEGER)} THEN TRY_CAST(${value} AS BIGINT) END`;
  if (kind === "date")
    return `CASE WHEN ${dialect.matches(value, DATE)} THEN TRY_CAST(substr(${value}, 2, 10) AS DATE) END`;
  if (kind === "instant" && dialect.instantOf) return dialect.instantOf(value);
  return `CASE WHEN ${value} IN ('null', '${UNKNOWN_MARK}') THEN NULL WHEN substr(${value}, 1, 1) = '"' THEN ${dialect.stringOf(value)}
    ELSE ${value} END`;
}
