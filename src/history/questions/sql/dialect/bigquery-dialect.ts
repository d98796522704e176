import { writableName } from "../../../../tables/sql/sql-names.js";
import { hexDigits, standardTokens, standardWords } from "./common-words.js";
import type { Dialect } from "./dialect.js";

const types = { bigint: "INT64", boolean: "BOOL", date: "DATE", double: "FLOAT64", text: "STRING" };

/**
 * BigQuery's SQL (GoogleSQL), over tables that were loaded from the snapshot's Parquet files as they are: a map is there a
 * `STRUCT` with an array `key_value`.
 */
export const bigqueryDialect: Dialect = {
  ...standardWords(types),
  name: "bigquery",
  tokens: { comment: `${standardTokens.comment}|#[^\\n]*`, quotes: quotes() },
  writable,
  identifier: (name) => `\`${escaped(writable(name), "`")}\``,
  text,
  tryCast: (value, type) => `SAFE_CAST(${value} AS ${types[type]})`,
  us: (column) => `UNIX_MICROS(${column})`,
  instant: (us) => `TIMESTAMP_MICROS(${us})`,
  utcDate: (us) => `DATE(TIMESTAMP_MICROS(${us}))`,
  // Windows and aggregates take no NULLS LAST.
  nullsLast: (key) => `${key} IS NULL, ${key}`,
  lastBy: (value, keys, where) => endBy(value, keys, " DESC", where),
  firstBy: (value, keys, where) => endBy(value, keys, "", where),
  struct: (members) => `STRUCT(${members.map(({ name, sql }) => `${sql} AS ${name}`).join(", ")})`,
  entry: (map, key) => `(SELECT pair.value FROM UNNEST(${map}.key_value) AS pair WHERE pair.key = ${text(key)})`,
  memberText: (json, member) => `JSON_VALUE(${json}, ${text(`$.${member}`)})`,
  memberJson: (json, member) => `NULLIF(JSON_QUERY(${json}, ${text(`$.${member}`)}), 'null')`,
  stringOf: (json) => `JSON_VALUE(${json}, '$')`,
  fromHex: (digits) => `CAST(concat('0x', ${digits}) AS INT64)`,
  quotient: (dividend, divisor) => `DIV(${dividend}, ${divisor})`,
  matches: (subject, expression) => `REGEXP_CONTAINS(${subject}, ${text(expression)})`,
  countLess: (ascending) => (number) => `RANGE_BUCKET(${number} - 1, [${ascending.join(", ")}])`,
  numbers: (_, column, values) => `UNNEST([${values.join(", ")}]) AS ${column}`,
  relation: (name, columns, [first = [], ...others]) => {
    const named = columns.map((column, place) => `${first[place]} AS ${column}`).join(", ");
    const structs = [`STRUCT(${named})`, ...others.map((row) => `STRUCT(${row.join(", ")})`)];
    return `${name} AS (SELECT * FROM UNNEST([${structs.join(", ")}]))`;
  },
};

/** Rows are no values that can be compared: so the first of all in order is taken. */
function endBy(value: string, keys: readonly string[], direction: string, where: string | undefined): string {
  const order = keys.map((key) => key + direction).join(", ");
  const counted = where === undefined ? value : `IF(${where}, ${value}, NULL)`;
  return `ARRAY_AGG(${counted} IGNORE NULLS ORDER BY ${order} LIMIT 1)[SAFE_OFFSET(0)]`;
}

/** Signs that no column of a result may have in its name; what it begins with may be taken, too. */
function writable(name: string): string {
  const signs = writableName(name).replace(/[^\p{L}\p{M}\p{N}_ &%=+:'<>#|-]/gu, "_") || "_";
  return /^_(?:table_|file_|partition|row_timestamp|_root__|colidentifier|change_)/i.test(signs)
    ? `field${signs}`
    : signs;
}

function text(value: string): string {
  return `'${escaped(value, "'")}'`;
}

/** A backslash escapes in texts and in names; neither may be broken into lines. */
function escaped(value: string, quote: string): string {
  return value
    .replaceAll("\\", "\\\\")
    .replaceAll(quote, `\\${quote}`)
    .replace(/\p{Cc}/gu, (character) => `\\u${hexDigits(character)}`);
}

/** Texts of several lines and with a prefix are left as they are. */
function quotes(): string {
  const quoted = (quote: string) => String.raw`${quote}(?:[^${quote}\\]|\\[\s\S])*${quote}`;
  const long = ["'''", '"""'].map((quote) => String.raw`${quote}(?:[^\\]|\\[\s\S])*?${quote}`);
  const short = [quoted("'"), quoted('"')];
  const prefix = "\\b[rRbB]{1,2}";
  return [
    `(?:${prefix})?(?:${long.join("|")})`,
    `${prefix}(?:${short.join("|")})`,
    `(?<text>${short.join("|")})`,
    `(?<quoted>${quoted("`")})`,
  ].join("|");
}
