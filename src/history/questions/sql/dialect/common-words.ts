import type { Dialect } from "./dialect.js";

/** Type names of standard SQL. */
export const standardTypes: Dialect["types"] = {
  bigint: "BIGINT",
  boolean: "BOOLEAN",
  date: "DATE",
  double: "DOUBLE",
  text: "VARCHAR",
};

/**
 * The SQL that all dialects share, given their types, and that of functions that only some engines have.
 *
 * @param row the function that combines values into one, ordered by the first, then by the second and so on
 */
export function commonWords(types: Dialect["types"], row: string) {
  const cast: Dialect["cast"] = (value, type) => `CAST(${value} AS ${types[type]})`;
  const aggregate =
    (name: string): Dialect["lastBy"] =>
    (value, keys, where) => {
      const key = keys.length === 1 ? keys.join("") : `${row}(${keys.join(", ")})`;
      return `${name}(${value}, ${key})${where === undefined ? "" : ` FILTER (WHERE ${where})`}`;
    };
  return {
    types,
    table: (name) => name,
    cast,
    tryCast: (text, type) => `TRY_CAST(${text} AS ${types[type]})`,
    double: (number) => cast(number, "double"),
    none: (type) => cast("NULL", type),
    uuid: (value) => value,
    instantOf: undefined,
    entriesOf: undefined,
    countLess: () => undefined,
    lastBy: aggregate("max_by"),
    firstBy: aggregate("min_by"),
  } satisfies Partial<Dialect>;
}

const PLAIN_TEXT = "'(?:[^']|'')*'";

/** Expression for a string in single quotes with backslash escapes. */
export const ESCAPED_TEXT = String.raw`'(?:[^'\\]|''|\\[\s\S])*'`;

/** Expression for a name in backticks. */
export const BACKTICKS = "`(?:[^`]|``)*`";

/** Expression for quotes that are escaped by doubling. */
export const standardQuotes = `(?<text>${PLAIN_TEXT})|(?<quoted>"(?:[^"]|"")*"|${BACKTICKS})`;

/** A 16-bit character as four hexadecimal digits. */
export function hexDigits(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, "0");
}
