import { quotedName, writableName } from "../../../columns/sql/sql-identifier.js";
import type { Dialect } from "./dialect.js";
import { literalRows } from "./literal-rows.js";

/** DuckDB's SQL. */
export const duckdbDialect: Dialect = {
  name: "duckdb",
  textType: "VARCHAR",
  table: (name) => name,
  writable: writableName,
  identifier: quotedName,
  text,
  us: (column) => `epoch_us(${column})`,
  instant: (us) => `make_timestamptz(${us})`,
  instantOf: (value) => `TRY_CAST(${value} AS TIMESTAMPTZ)`,
  // 16 bytes in place of 36, which sorts would have to look up.
  uuid: (value) => `TRY_CAST(${value} AS UUID)`,
  row: (...parts) => `row(${parts.join(", ")})`,
  struct: (members) => `struct_pack(${members.map(({ name, sql }) => `${name} := ${sql}`).join(", ")})`,
  entry: (map, key) => `map_extract_value(${map}, ${text(key)})`,
  memberText: (json, member) => `TRY(json_extract_string(${json}, ${text(`$.${member}`)}))`,
  memberJson: (json, member) => `CAST(TRY(json_extract(${json}, ${text(`$.${member}`)})) AS VARCHAR)`,
  // Of half a pair of surrogates DuckDB makes nothing.
  stringOf: (json) => `coalesce(TRY(json_extract_string(${json}, '$')), ${json})`,
  quotient: (dividend, divisor) => `(${dividend} // ${divisor})`,
  matches: (subject, expression) => `regexp_matches(${subject}, ${text(expression)})`,
  countLess: () => undefined,
  numbers: (name, column, values) =>
    `(VALUES ${literalRows(values.map((value) => [String(value)]))}) AS ${name}(${column})`,
  relation: (name, columns, rows) => `${name}(${columns.join(", ")}) AS (VALUES ${literalRows(rows)})`,
};

/** No literal can hold NUL. */
function text(value: string): string {
  const literals = value.split("\0").map((part) => `'${part.replaceAll("'", "''")}'`);
  return literals.length === 1 ? literals.join("") : `(${literals.join(" || chr(0) || ")})`;
}
