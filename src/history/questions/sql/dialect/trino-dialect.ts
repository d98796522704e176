import { quotedName, writableName } from "../../../../tables/sql/sql-names.js";
import { commonWords, type Dialect, hexDigits, standardQuotes, standardTypes } from "./dialect.js";
import { literalRows } from "./literals.js";

const MOST_EXACT = 2n ** 53n;
const words = commonWords(standardTypes, "row");

/** Trino's SQL. Instants are declared as `BIGINT`: its Hive connector would round them to milliseconds. */
export const trinoDialect: Dialect = {
  ...words,
  name: "trino",
  quotes: standardQuotes,
  writable: writableName,
  identifier: quotedName,
  text,
  us: (column) => column,
  // Nanoseconds of a far year do not fit into a BIGINT.
  instant: (us) => `CAST(from_unixtime_nanos(CAST(${us} AS DECIMAL(38, 0)) * 1000) AS TIMESTAMP(6) WITH TIME ZONE)`,
  // The date of an instant depends on the time zone of the session.
  utcDate: (us) => `date_add('day', CAST(floor((${us}) / 86400000000e0) AS BIGINT), DATE '1970-01-01')`,
  struct: (members) => {
    const types = members.map(({ name, type }) => `${name} ${words.types[type]}`);
    return `CAST(row(${members.map(({ sql }) => sql).join(", ")}) AS row(${types.join(", ")}))`;
  },
  entry: (map, key) => `element_at(${map}, ${text(key)})`,
  memberText: (json, member) => `json_extract_scalar(${json}, ${text(`$.${member}`)})`,
  memberJson: (json, member) => `nullif(json_format(json_extract(${json}, ${text(`$.${member}`)})), 'null')`,
  stringOf: (json) => `json_extract_scalar(${json}, '$')`,
  fromHex: (digits) => `from_base(${digits}, 16)`,
  quotient: (dividend, divisor) => `(${dividend} / ${divisor})`,
  matches: (subject, expression) => `regexp_like(${subject}, ${text(expression)})`,
  // A table of literals with as many rows as numbers takes a second to plan, and a join.
  countLess(ascending) {
    if (!ascending.every(isExact)) return undefined;
    const bounds = `CAST(split('${ascending.join(",")}', ',') AS ARRAY(DOUBLE))`;
    return (number) => `width_bucket(${words.double(`${number} - 1`)}, ${bounds})`;
  },
  // A table of literals is a separate stage, which runs on one node.
  numbers: (name, column, values) => `UNNEST(ARRAY[${values.join(", ")}]) AS ${name}(${column})`,
  relation: (name, columns, rows) => `${name}(${columns.join(", ")}) AS (VALUES ${literalRows(rows)})`,
};

/** Whether a double is exact for a number, and not the rounded value of another number. */
function isExact(number: bigint): boolean {
  return number > -MOST_EXACT && number < MOST_EXACT;
}

/** A plain literal ends at NUL in some clients, so strings with such characters are written as code points. */
function text(value: string): string {
  const quoted = `'${value.replaceAll("'", "''")}'`;
  if (!/\p{Cc}/u.test(value)) return quoted;
  const escaped = quoted.replaceAll("\\", "\\\\");
  return `U&${escaped.replace(/\p{Cc}/gu, (character) => `\\${hexDigits(character)}`)}`;
}
