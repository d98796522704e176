import { writableName } from "../../../../tables/sql/sql-names.js";
import { BACKTICKS, commonWords, type Dialect, ESCAPED_TEXT, hexDigits, standardTypes } from "./dialect.js";
import { literalRows } from "./literals.js";

/** Spark reads this as a string by default. */
const ESCAPED_NAME = String.raw`"(?:[^"\\]|""|\\[\s\S])*"`;

/** SQL of Spark 4 and later. */
export const sparkDialect: Dialect = {
  ...commonWords({ ...standardTypes, text: "STRING" }, "struct"),
  name: "spark",
  quotes: `(?<text>${ESCAPED_TEXT})|(?<quoted>${ESCAPED_NAME}|${BACKTICKS})`,
  writable,
  identifier: (name) => `\`${writable(name).replaceAll("`", "``")}\``,
  text,
  us: (column) => `unix_micros(${column})`,
  instant: (us) => `timestamp_micros(${us})`,
  // The date of a timestamp depends on the time zone of the session.
  utcDate: (us) => `date_from_unix_date(CAST(floor((${us}) / 86400000000) AS INT))`,
  struct: (members) => `named_struct(${members.map(({ name, sql }) => `${text(name)}, ${sql}`).join(", ")})`,
  entry: (map, key) => `try_element_at(${map}, ${text(key)})`,
  memberText: (json, member) => `get_json_object(${json}, ${text(`$.${member}`)})`,
  memberJson: (json, member) => `get_json_object(${json}, ${text(`$.${member}`)})`,
  // In some versions, get_json_object() returns null for a JSON text that is not an object or array.
  stringOf: (json) => `from_json(concat('{"v":', ${json}, '}'), 'v STRING').v`,
  fromHex: (digits) => `CAST(conv(${digits}, 16, 10) AS BIGINT)`,
  quotient: (dividend, divisor) => `(${dividend} div ${divisor})`,
  matches: (subject, expression) => `${subject} RLIKE ${text(expression)}`,
  numbers: (name, column, values) =>
    `(SELECT * FROM VALUES ${literalRows(values.map((value) => [String(value)]))} AS literals(${column})) AS ${name}`,
  relation: (name, columns, rows) =>
    `${name} AS (SELECT * FROM VALUES ${literalRows(rows)} AS literals(${columns.join(", ")}))`,
};

/**
 * Before parsing a statement, Spark substitutes settings and environment variables for `${env:HOME}`, even between
 * quotes. Names have no escapes, so a space breaks the pattern.
 */
function writable(name: string): string {
  return writableName(name).replaceAll("${", "$ {");
}

/** Two adjacent literals are one string, so a doubled quote would be lost; a backslash escapes. */
function text(value: string): string {
  const escaped = value.replaceAll("\\", "\\\\").replaceAll("'", "\\'");
  return `'${escaped.replace(/\p{Cc}|\$(?=\{)/gu, (character) => `\\u${hexDigits(character)}`)}'`;
}
