/** Supported SQL dialects. */
export type DialectName = "duckdb" | "trino" | "spark";

/** A table of a snapshot that questions read. */
export type SnapshotTable = "layer_features" | "gone_features" | "property_changes";

/** Types of values in statements. */
export type ValueType = "bigint" | "boolean" | "date" | "double" | "text";

/** A member of a structured value. */
export interface StructMember {
  readonly name: string;
  readonly type: ValueType;
  readonly sql: string;
}

/** SQL for values by key that are one value. */
export interface DialectEntries {
  /** The aggregate that builds it from a group with distinct keys; null keys are left out. */
  of(key: string, value: string): string;
  /** The value of a key; null if missing. */
  at(entries: string, key: string): string;
  /** The first existing value under the keys at an index, which is a number from 0. */
  firstOf(entries: string, keys: readonly (readonly string[])[], index: string): string;
}

/**
 * The parts of SQL that differ between engines; everything else is written once for all of them. Every argument and
 * result is SQL text, except names and values, which are quoted here and only here.
 *
 * @internal
 */
export interface Dialect {
  readonly name: DialectName;
  /** Names of the types. */
  readonly types: Readonly<Record<ValueType, string>>;
  /** Regular expression for everything in quotes: strings are the group `text` or `inner`, names the group `quoted`. */
  readonly quotes: string;
  /** A table of the snapshot, for use after `FROM`. */
  table(name: SnapshotTable): string;
  /** The name with characters that the engine cannot quote replaced. */
  writable(name: string): string;
  /** A name of a column or a table. */
  identifier(name: string): string;
  /** A string as a literal. */
  text(value: string): string;
  /** A value converted to another type, if the conversion is known to succeed. */
  cast(value: string, type: ValueType): string;
  /** A string converted to another type; null if invalid. */
  tryCast(text: string, type: ValueType): string;
  /** A number as `EngineRows` expects it. */
  double(number: string): string;
  /** Null of a type. */
  none(type: ValueType): string;
  /** Microseconds since 1970 as `BIGINT` from a column of instants; null if it is null. */
  us(column: string): string;
  /** The instant in UTC from microseconds since 1970. */
  instant(us: string): string;
  /** The calendar date in UTC from microseconds since 1970. */
  utcDate(us: string): string;
  /**
   * The instant of a JSON text, as `parseInstant()` reads its string; null if invalid. Undefined if the engine has no
   * function for it.
   */
  readonly instantOf: ((json: string) => string) | undefined;
  /**
   * A UUID string as the type that the engine sorts fastest, with the same order. `cast()` converts it back to text.
   */
  uuid(text: string): string;
  /**
   * The aggregate that returns a value of the last row of a group; null for no rows. In the rows that count, the value
   * and the keys are not null.
   *
   * @param keys sort keys of the rows: the first, then the second and so on
   * @param where condition of the rows that count. Default: all rows
   */
  lastBy(value: string, keys: readonly string[], where?: string): string;
  /** The same for the first row. */
  firstBy(value: string, keys: readonly string[], where?: string): string;
  /** Several expressions as one value whose members are read by name: `last_change.us`. */
  struct(members: readonly StructMember[]): string;
  /** The string under a key of a map column, as the snapshot has them; null if missing. */
  entry(map: string, key: string): string;
  /** Values by key as one value; undefined if the engine does not support or need it. */
  readonly entriesOf: DialectEntries | undefined;
  /** The string of a member of a JSON object; null if missing. `member` is a plain name. */
  memberText(json: string, member: string): string;
  /** The JSON text of a member of a JSON object that is an array or object; null if it is missing or null. */
  memberJson(json: string, member: string): string;
  /** The string of a JSON text. */
  stringOf(json: string): string;
  /** The `BIGINT` of at most 15 hexadecimal digits. */
  fromHex(digits: string): string;
  /** Integer quotient of a `BIGINT` of at least 0 and a positive one. */
  quotient(dividend: string, divisor: string): string;
  /** Whether part of a string matches a regular expression, in the syntax that all engines share. */
  matches(text: string, expression: string): string;
  /**
   * Writes how many of some numbers are less than a `BIGINT`, null for null; undefined if the engine has no function
   * for it.
   *
   * @param ascending distinct numbers, at least one
   */
  countLess(ascending: readonly bigint[]): ((number: string) => string) | undefined;
  /** A table of a few numbers in one column, for use after `CROSS JOIN`. */
  numbers(name: string, column: string, values: readonly number[]): string;
  /** A member of `WITH` that is a table of literals with at least one row. */
  relation(name: string, columns: readonly string[], rows: readonly (readonly string[])[]): string;
}

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
