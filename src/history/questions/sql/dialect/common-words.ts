import type { Dialect } from "./dialect.js";

/** What types are called in standard SQL. */
export const standardTypes: Dialect["types"] = {
  bigint: "BIGINT",
  boolean: "BOOLEAN",
  date: "DATE",
  double: "DOUBLE",
  text: "VARCHAR",
};

/**
 * The words that all dialects share, once types are known; and those for which not every engine has one.
 *
 * @param row the function that makes one value of several, whose order is that of the first, then of the second and so on
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

/** How a text in single quotes is read in which a backslash escapes. */
export const ESCAPED_TEXT = String.raw`'(?:[^'\\]|''|\\[\s\S])*'`;

/** How a name in backticks is read. */
export const BACKTICKS = "`(?:[^`]|``)*`";

/** How quotes are read if a second quote escapes one. */
export const standardQuotes = `(?<text>${PLAIN_TEXT})|(?<quoted>"(?:[^"]|"")*"|${BACKTICKS})`;

/** A character of 16 bits as four hexadecimal digits. */
export function hexDigits(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, "0");
}
