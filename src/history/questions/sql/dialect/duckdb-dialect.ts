import { DAY } from "../../../../core/calendar-period.js";
import { quotedName, writableName } from "../../../../tables/sql/sql-names.js";
import { sqlText } from "../../../../tables/sql/sql-text.js";
import { commonWords, type Dialect, ESCAPED_TEXT, standardQuotes, standardTypes } from "./dialect.js";
import { literalRows } from "./literals.js";

const DOLLARS = String.raw`\$(?<tag>(?:[A-Za-z_]\w*)?)\$(?<inner>[\s\S]*?)\$\k<tag>\$`;
const words = commonWords(standardTypes, "row");

/** DuckDB's SQL. */
export const duckdbDialect: Dialect = {
  ...words,
  name: "duckdb",
  quotes: `${standardQuotes}|[eE]${ESCAPED_TEXT}|${DOLLARS}`,
  writable: writableName,
  identifier: quotedName,
  text: sqlText,
  us: (column) => `epoch_us(${column})`,
  instant: (us) => `make_timestamptz(${us})`,
  utcDate: (us) => `CAST(make_timestamp(${us}) AS DATE)`,
  instantOf,
  // 16 bytes instead of 36, which sorts would have to look up.
  uuid: (value) => `TRY_CAST(${value} AS UUID)`,
  struct: (members) => `struct_pack(${members.map(({ name, sql }) => `${name} := ${sql}`).join(", ")})`,
  entry: (map, key) => `map_extract_value(${map}, ${sqlText(key)})`,
  entriesOf: {
    of: (key, value) =>
      `map_from_entries(list(struct_pack(k := ${key}, v := ${value})) FILTER (WHERE ${key} IS NOT NULL))`,
    at: (entries, key) => `map_extract_value(${entries}, ${key})`,
    firstOf: (entries, keys, index) => {
      const lists = keys.map((keysOfList) => `[${keysOfList.map(sqlText).join()}]`);
      const values = `list_transform([${lists.join()}][${index} + 1], lambda k: map_extract_value(${entries}, k))`;
      return `list_filter(${values}, lambda v: v IS NOT NULL)[1]`;
    },
  },
  memberText: (json, member) => `TRY(json_extract_string(${json}, ${sqlText(`$.${member}`)}))`,
  memberJson: (json, member) => {
    const memberOf = (from: string) => `TRY(json_extract(${from}, ${sqlText(`$.${member}`)}))`;
    return `nullif(${words.cast(`coalesce(${memberOf(json)}, ${memberOf(withoutSurrogates(json))})`, "text")}, 'null')`;
  },
  stringOf: (json) =>
    `coalesce(TRY(json_extract_string(${json}, '$')), TRY(json_extract_string(${withoutHalfPairs(json)}, '$')), ${json})`,
  fromHex: (digits) => words.cast(`concat('0x', ${digits})`, "bigint"),
  quotient: (dividend, divisor) => `(${dividend} // ${divisor})`,
  matches: (subject, expression) => `regexp_matches(${subject}, ${sqlText(expression)})`,
  numbers: (name, column, values) =>
    `(VALUES ${literalRows(values.map((value) => [String(value)]))}) AS ${name}(${column})`,
  relation: (name, columns, rows) => `${name}(${columns.join(", ")}) AS (VALUES ${literalRows(rows)})`,
};

const HOUR_MINUTE = "(?:[01]\\d|2[0-3]):[0-5]\\d";
/** Instants that DuckDB parses itself, with the same result as `parseInstant()`. */
const USUAL_INSTANT = `^"${DAY}T${HOUR_MINUTE}:[0-5]\\d(?:\\.\\d{1,6})?(?:Z|[+-][01]\\d:[0-5]\\d)"$`;
/** All instants that `parseInstant()` parses, except days that do not exist. */
const INSTANT =
  `^"${DAY}[Tt ](?:${HOUR_MINUTE}(?::(?:[0-5]\\d|60)(?:[.,]\\d+)?)?|24:00(?::00(?:[.,]0+)?)?)` +
  `(?:[Zz]|[+-]\\d\\d:?(?:\\d\\d)?)?"$`;

/** The result of `parseInstant()` for a JSON text, piece by piece, because DuckDB parses fewer forms. */
function instantOf(json: string): string {
  const matches = (expression: string) => `regexp_matches(${json}, ${sqlText(expression)})`;
  const number = (piece: string) => `coalesce(${words.tryCast(piece, "bigint")}, 0)`;
  const groupOf = (expression: string, group: number) => `regexp_extract(${json}, ${sqlText(expression)}, ${group})`;
  const seconds = groupOf('^"[^:]+:\\d\\d:(\\d\\d)', 1);
  // Within a leap second, no instant may be later than one after it.
  const fraction = `CASE WHEN ${seconds} = '60' THEN 0 ELSE ${number(`substr(rpad(${groupOf("[.,](\\d+)", 1)}, 6, '0'), 1, 6)`)} END`;
  const zone = '([+-])(\\d\\d):?(\\d\\d)?"$';
  const behindTime = `:\\d\\d(?:[.,]\\d+)?${zone}`;
  const offset = `(CASE ${groupOf(behindTime, 1)} WHEN '-' THEN -1 ELSE 1 END * (${number(groupOf(behindTime, 2))} * 60 + ${number(groupOf(behindTime, 3))}))`;
  const minutes = `(${number(`substr(${json}, 13, 2)`)} * 60 + ${number(`substr(${json}, 16, 2)`)} - ${offset})`;
  const us = `epoch_us(TRY_CAST(substr(${json}, 2, 10) AS TIMESTAMP)) + (${minutes} * 60 + ${number(seconds)}) * 1000000 + ${fraction}`;
  return `CASE WHEN ${matches(USUAL_INSTANT)} THEN TRY_CAST(substr(${json}, 2, length(${json}) - 2) AS TIMESTAMPTZ)
    WHEN ${matches(INSTANT)} THEN make_timestamptz(${us}) END`;
}

/**
 * A canonical JSON text with U+FFFD instead of each half of a surrogate pair; only such halves are escaped as
 * surrogates there. DuckDB rejects strings that contain them. The replacement runs twice, because one pass skips every
 * second of several consecutive halves.
 */
function withoutHalfPairs(json: string): string {
  const once = (from: string) =>
    `regexp_replace(${from}, ${sqlText(`((?:^|[^\\\\])(?:\\\\\\\\)*)\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)}, ${sqlText("\\1\\\\ufffd")}, 'g')`;
  return once(once(json));
}

/** JSON that DuckDB can parse, instead of JSON with a lone surrogate: without escaped surrogates. */
function withoutSurrogates(json: string): string {
  return `regexp_replace(${json}, ${sqlText("\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}")}, ${sqlText("\\\\ufffd")}, 'g')`;
}
