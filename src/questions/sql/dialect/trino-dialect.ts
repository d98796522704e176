import { quotedName } from "../../../columns/export/sql-identifier.js";
import type { Dialect } from "./dialect.js";
import { literalRows } from "./literal-rows.js";

/** Trino's SQL. Instants are declared as `BIGINT`: its Hive connector would round them to milliseconds. */
export const trinoDialect: Dialect = {
  name: "trino",
  textType: "VARCHAR",
  table: (name) => name,
  identifier: quotedName,
  text,
  us: (column) => column,
  // Nanoseconds of a far year are no BIGINT.
  instant: (us) => `CAST(from_unixtime_nanos(CAST(${us} AS DECIMAL(38, 0)) * 1000) AS TIMESTAMP(6) WITH TIME ZONE)`,
  row: (...parts) => `row(${parts.join(", ")})`,
  struct: (members) => {
    const types = members.map(({ name, type }) => `${name} ${type}`);
    return `CAST(row(${members.map(({ sql }) => sql).join(", ")}) AS row(${types.join(", ")}))`;
  },
  entry: (map, key) => `element_at(${map}, ${text(key)})`,
  memberText: (json, member) => `json_extract_scalar(${json}, ${text(`$.${member}`)})`,
  memberJson: (json, member) => `json_format(json_extract(${json}, ${text(`$.${member}`)}))`,
  stringOf: (json) => `json_extract_scalar(${json}, '$')`,
  quotient: (dividend, divisor) => `(${dividend} / ${divisor})`,
  matches: (subject, expression) => `regexp_like(${subject}, ${text(expression)})`,
  relation: (name, columns, rows) => `${name}(${columns.join(", ")}) AS (VALUES ${literalRows(rows)})`,
};

/** A plain literal ends at NUL in some clients: texts with such characters are written as code points. */
function text(value: string): string {
  const quoted = `'${value.replaceAll("'", "''")}'`;
  if (!/\p{Cc}/u.test(value)) return quoted;
  const escaped = quoted.replaceAll("\\", "\\\\");
  return `U&${escaped.replace(/\p{Cc}/gu, (character) => `\\${hex(character)}`)}`;
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, "0");
}
