import { writableName } from "../../../../tables/sql/sql-names.js";
import type { Dialect } from "./dialect.js";
import { literalRows } from "./literals.js";

/** Spark's SQL, from version 4 on. */
export const sparkDialect: Dialect = {
  name: "spark",
  textType: "STRING",
  table: (name) => name,
  writable,
  identifier: (name) => `\`${writable(name).replaceAll("`", "``")}\``,
  text,
  us: (column) => `unix_micros(${column})`,
  instantOf: undefined,
  instant: (us) => `timestamp_micros(${us})`,
  uuid: (value) => value,
  row: (...parts) => `struct(${parts.join(", ")})`,
  struct: (members) => `named_struct(${members.map(({ name, sql }) => `${text(name)}, ${sql}`).join(", ")})`,
  entry: (map, key) => `try_element_at(${map}, ${text(key)})`,
  entriesOf: undefined,
  memberText: (json, member) => `get_json_object(${json}, ${text(`$.${member}`)})`,
  memberJson: (json, member) => `get_json_object(${json}, ${text(`$.${member}`)})`,
  // get_json_object() of a text that is no object or array gives null in some versions.
  stringOf: (json) => `from_json(concat('{"v":', ${json}, '}'), 'v STRING').v`,
  quotient: (dividend, divisor) => `(${dividend} div ${divisor})`,
  matches: (subject, expression) => `${subject} RLIKE ${text(expression)}`,
  countLess: () => undefined,
  numbers: (name, column, values) =>
    `(SELECT * FROM VALUES ${literalRows(values.map((value) => [String(value)]))} AS literals(${column})) AS ${name}`,
  relation: (name, columns, rows) =>
    `${name} AS (SELECT * FROM VALUES ${literalRows(rows)} AS literals(${columns.join(", ")}))`,
};

/**
 * Before it reads a statement, Spark puts values of its settings and of the environment in the place of `${env:HOME}`,
 * between quotes, too. Names have no escapes: a space parts what it looks for.
 */
function writable(name: string): string {
  return writableName(name).replaceAll("${", "$ {");
}

/**
 * Two literals in a row are one text, so that a doubled quote would be lost; a backslash escapes.
 */
function text(value: string): string {
  const escaped = value.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  return `'${escaped.replace(/\p{Cc}|\$(?=\{)/gu, (character) => `\\u${hex(character)}`)}'`;
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, "0");
}
