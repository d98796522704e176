import { type DefinitionKind, definitionKind } from "../../columns/types/definition-kind.js";
import type { NamedColumn } from "../../layer/name-columns.js";
import { propertyType } from "../../layer/property-type.js";
import { propertyPointer } from "../database/property-pointer.js";
import { sqlText } from "../format/sql-text.js";

const NUMBERS = ["BIGINT", "UBIGINT", "DOUBLE"];

type Kind = DefinitionKind["one"];

/** What a view selects for a property. */
export interface PropertyExpression {
  readonly sql: string;
  /** The condition on features that their value is not of the definition's type; undefined if there can be none. */
  readonly isMismatch: string | undefined;
  /** The value as it came, as JSON text. */
  readonly raw: string;
}

/**
 * What a view selects for a property: of its definition's type, where this says more than that it is a text, else numbers or
 * booleans if all values are, else text.
 *
 * @param jsonTypes DuckDB's names of the JSON types of each key's values
 */
export function propertyExpression(
  column: NamedColumn,
  jsonTypes: ReadonlyMap<string, readonly string[]>,
): PropertyExpression {
  const seen = column.keys.flatMap(({ key }) => jsonTypes.get(key) ?? []);
  const kind = columnKind(definitionKind(propertyType(column).type), seen);
  // A number that is one needs no second look into its record.
  const jsonTypesOfKind: Readonly<Record<Kind, readonly string[]>> = {
    ...{ number: NUMBERS, boolean: ["BOOLEAN"], text: seen },
    ...{ integer: [], date: [], instant: [] },
  };
  const plain = jsonTypesOfKind[kind];
  const isPlain = seen.every((type) => plain.includes(type));
  const sql = firstOf(column, (pointer) => typedValue(kind, pointer, isPlain));
  const raw = firstOf(column, (pointer) => `nullif(TRY(json_extract(record, ${pointer}))::VARCHAR, 'null')`);
  return { sql, raw, isMismatch: isPlain ? undefined : `${raw} IS NOT NULL AND ${sql} IS NULL` };
}

function firstOf({ keys }: NamedColumn, value: (pointer: string) => string): string {
  const values = keys.map(({ key }) => value(sqlPointer(key)));
  return values.length === 1 ? (values[0] ?? "NULL") : `coalesce(${values.join()})`;
}

/** Ids of other features are integers as long as every one stands alone. */
function columnKind(declared: DefinitionKind | undefined, seen: readonly string[]): Kind {
  const isNumeric = seen.every((type) => NUMBERS.includes(type));
  if (declared && declared.one !== "text" && (!declared.many || isNumeric)) return declared.one;
  if (seen.length > 0 && isNumeric) return "number";
  return seen.length > 0 && seen.every((type) => type === "BOOLEAN") ? "boolean" : "text";
}

/** TRY gives null for the rare JSON that DuckDB does not read. A text is no number, whatever digits it has. */
function typedValue(kind: Kind, pointer: string, isPlain: boolean): string {
  const text = `TRY(json_extract_string(record, ${pointer}))`;
  const type = `TRY(json_type(record, ${pointer}))`;
  const number = `CASE WHEN ${type} IN (${NUMBERS.map(sqlText).join()}) THEN TRY_CAST(${text} AS DOUBLE) END`;
  const when = (condition: string, as: string) =>
    `CASE WHEN ${type} = 'VARCHAR' AND ${condition} THEN TRY_CAST(${text} AS ${as}) END`;
  switch (kind) {
    case "number":
      return isPlain ? `TRY_CAST(${text} AS DOUBLE)` : number;
    case "integer":
      return `CASE WHEN ${number} = floor(${number}) THEN coalesce(TRY_CAST(${text} AS BIGINT), TRY_CAST(${number} AS BIGINT)) END`;
    case "boolean":
      return isPlain
        ? `TRY_CAST(${text} AS BOOLEAN)`
        : `CASE WHEN ${type} = 'BOOLEAN' THEN TRY_CAST(${text} AS BOOLEAN) END`;
    case "date":
      return when(`regexp_matches(${text}, '^\\d{4}-\\d{2}-\\d{2}$')`, "DATE");
    case "instant":
      return when(`regexp_matches(${text}, '^\\d{4}-\\d{2}-\\d{2}[Tt ]\\d{2}:\\d{2}')`, "TIMESTAMPTZ");
    case "text":
      return text;
  }
}

/** Where a property is in a record, as a literal. */
export function sqlPointer(key: string): string {
  return sqlText(propertyPointer(key));
}
