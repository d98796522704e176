import type { FilterValue } from "../../api/params.js";
import type { SqlPart } from "./sql-part.js";

/** The condition that all filters hold. Every filter is a column of the same name. */
export function whereFilters(filters: ReadonlyMap<string, readonly FilterValue[]>): SqlPart {
  const parts = [...filters].map(([name, values]) => whereOneOf(name, values));
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

/** The condition that a column is one of the numbers. */
export function whereIn(column: string, numbers: readonly number[]): string {
  return numbers.length > 0 ? `${column} IN (${numbers.join()})` : "false";
}
