import { duckdbDialect } from "../../history/questions/sql/dialect/duckdb-dialect.js";
import { shownValue, type ValueKind } from "../../history/questions/sql/values/shown-value.js";
import type { NamedColumn } from "../../layer/name-columns.js";
import { propertyType } from "../../layer/property-type.js";
import { type DefinitionKind, definitionKind } from "../../tables/types/definition-kind.js";
import { storedKey } from "../write/property-texts.js";

/**
 * What values of a key are: what decides the type of a column without a definition. A text may hold half a pair of
 * surrogates, which DuckDB does not read.
 */
export type JsonType = "number" | "boolean" | "text" | "half text" | "nested";

/** Which of them there are, by stored key. */
export type JsonTypes = ReadonlyMap<string, readonly JsonType[]>;

/** What a view selects for a property. */
export interface PropertyExpression {
  readonly sql: string;
  readonly kind: ValueKind;
  /** Whether a value may be null, since it is not of the definition's type. */
  readonly isDoubtful: boolean;
}

/**
 * What a view selects for a property: of its definition's type, where this says more than that it is a text, else numbers or
 * booleans if all values are, else text.
 *
 * @param value name of a column with the value as JSON text
 */
export function propertyExpression(column: NamedColumn, jsonTypes: JsonTypes, value: string): PropertyExpression {
  const seen = column.keys.flatMap(({ key }) => jsonTypes.get(storedKey(key)) ?? []);
  const kind = columnKind(definitionKind(propertyType(column).type), seen);
  // A number that is one needs no second look.
  const isPlain = kind === "text" || seen.every((type) => type === kind);
  // Every function that a column goes through takes memory of its own.
  const areTexts = kind === "text" && seen.length > 0 && seen.every((type) => type === "text");
  const sql = areTexts ? `json_extract_string(${value}, '$')` : shownValue(duckdbDialect, kind, value);
  return { sql, kind, isDoubtful: !isPlain };
}

/** Ids of other features are integers as long as every one stands alone. */
function columnKind(declared: DefinitionKind | undefined, seen: readonly JsonType[]): ValueKind {
  const isNumeric = seen.every((type) => type === "number");
  if (declared && declared.one !== "text" && (!declared.many || isNumeric)) return declared.one;
  if (seen.length > 0 && isNumeric) return "number";
  return seen.length > 0 && seen.every((type) => type === "boolean") ? "boolean" : "text";
}
