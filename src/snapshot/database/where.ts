import type { FilterValue } from "../../api/params.js";
import { canonicalKey } from "../../layer/property-key.js";
import type { SqlPart } from "./sql-part.js";

const KEY = "property_key";
const UUID_LENGTH = 36;
/** TRY gives null for the rare JSON that DuckDB does not read. */
const WRITTEN_KEY = `coalesce(TRY(json_extract_string(record, '/${KEY}')), ${KEY})`;

/** The condition that all filters hold. Every filter is a column of the same name. */
export function whereFilters(filters: ReadonlyMap<string, readonly FilterValue[]>): SqlPart {
  const parts = [...filters].map(([name, values]) => (name === KEY ? whereKey(values) : whereOneOf(name, values)));
  return {
    sql: parts.map(({ sql }) => sql).join(" AND ") || "true",
    parameters: parts.flatMap((part) => part.parameters),
  };
}

function whereOneOf(column: string, values: readonly FilterValue[]): SqlPart {
  const numbers = values.filter((value) => typeof value === "number");
  const texts = values.filter((value) => typeof value === "string");
  const listed = [...numbers.map(String), ...texts.map(() => "?")];
  const alternatives = listed.length > 0 ? [`"${column}" IN (${listed.join()})`] : [];
  if (values.includes(null)) alternatives.push(`"${column}" IS NULL`);
  return { sql: alternatives.length > 0 ? `(${alternatives.join(" OR ")})` : "false", parameters: texts };
}

/**
 * The API takes the keys of changes as they are written. The column holds UUIDs in lower case, and in states of older
 * formats as they came, so that it chooses the rows whose records are looked at.
 */
function whereKey(values: readonly FilterValue[]): SqlPart {
  const written = values.map(String);
  const either = [...new Set([...written, ...written.map(canonicalKey)])];
  return {
    sql: `(${KEY} IN (SELECT unnest(?::VARCHAR[]))
      AND CASE WHEN length(${KEY}) = ${UUID_LENGTH} THEN ${WRITTEN_KEY} IN (SELECT unnest(?::VARCHAR[])) ELSE true END)`,
    parameters: [either, written],
  };
}

/** The condition that a column is one of the numbers. */
export function whereIn(column: string, numbers: readonly number[]): string {
  return numbers.length > 0 ? `${column} IN (${numbers.join()})` : "false";
}
