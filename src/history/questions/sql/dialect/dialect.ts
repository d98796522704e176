/** Engines whose SQL is written. */
export type DialectName = "duckdb" | "trino" | "spark";

/** A table of a snapshot that questions are asked of. */
export type SnapshotTable = "layer_features" | "gone_features" | "property_changes";

/** The types of values that statements tell engines about. */
export type ValueType = "bigint" | "boolean" | "date" | "double" | "text";

/** A member of a value that is several. */
export interface StructMember {
  readonly name: string;
  readonly type: ValueType;
  readonly sql: string;
}

/** Words for values by key that are one value. */
export interface DialectEntries {
  /** The aggregate that makes it of a group, in which no key comes twice; keys that are null are left out. */
  of(key: string, value: string): string;
  /** The value under a key, null where there is none. */
  at(entries: string, key: string): string;
  /** The first value that there is under the keys at a place, which is a number from 0 on. */
  firstOf(entries: string, keys: readonly (readonly string[])[], place: string): string;
}

/**
 * The words in which the SQL of engines differs. Everything else is written once, for all of them. Every argument and
 * result is text of SQL, but for names and values, which are quoted here and nowhere pasted.
 *
 * @internal
 */
export interface Dialect {
  readonly name: DialectName;
  /** What types are called. */
  readonly types: Readonly<Record<ValueType, string>>;
  /** Regular expression of everything in quotes: strings are the group `text` or `inner`, names the group `quoted`. */
  readonly quotes: string;
  /** A table of the snapshot, to stand behind `FROM`. */
  table(name: SnapshotTable): string;
  /** A name as the engine can have it: not all characters stand for themselves in the names of each. */
  writable(name: string): string;
  /** A name of a column or a table. */
  identifier(name: string): string;
  /** A text as a literal. */
  text(value: string): string;
  /** A value as one of another type, which it is known to be. */
  cast(value: string, type: ValueType): string;
  /** A text as a value of another type; null where it is none. */
  tryCast(text: string, type: ValueType): string;
  /** A number as this process takes it: see `EngineRows`. */
  double(number: string): string;
  /** Null of a type. */
  none(type: ValueType): string;
  /** Microseconds since 1970 as `BIGINT` of a column that holds an instant; null where it is null. */
  us(column: string): string;
  /** The instant, in UTC, of microseconds since 1970. */
  instant(us: string): string;
  /** The calendar date, in UTC, of microseconds since 1970. */
  utcDate(us: string): string;
  /**
   * The instant that a JSON text names, as `parseInstant()` reads its string; null where it names none. Undefined where
   * the engine has no word for it.
   */
  readonly instantOf: ((json: string) => string) | undefined;
  /** A UUID that is a text as what the engine sorts fastest, in the order of the texts. `cast()` makes it a text again. */
  uuid(text: string): string;
  /**
   * The aggregate that gives a value of the last row of a group; null where there is none. Neither the value nor the
   * keys are null in the rows that count.
   *
   * @param keys what the rows are ordered by: the first, then the second and so on
   * @param where which rows count; all if absent
   */
  lastBy(value: string, keys: readonly string[], where?: string): string;
  /** The same of the first row. */
  firstBy(value: string, keys: readonly string[], where?: string): string;
  /** Several expressions as one value whose members are read by name: `picked.us`. */
  struct(members: readonly StructMember[]): string;
  /** The text under a key of a column of texts by key, as the snapshot has them; null where there is none. */
  entry(map: string, key: string): string;
  /** Values by key as one value; undefined where the engine has no words for it, or no use. */
  readonly entriesOf: DialectEntries | undefined;
  /** The text that a member of a JSON object holds; null where there is none. `member` is a plain name. */
  memberText(json: string, member: string): string;
  /** The JSON text of a member of a JSON object that is an array or object; null where there is none, or null. */
  memberJson(json: string, member: string): string;
  /** What a JSON text that is a string says. */
  stringOf(json: string): string;
  /** The `BIGINT` that hexadecimal digits write, 15 at most. */
  fromHex(digits: string): string;
  /** Whole times that one positive `BIGINT` goes into another that is not negative. */
  quotient(dividend: string, divisor: string): string;
  /** Whether a text has a part that a regular expression, as all engines read them, describes. */
  matches(text: string, expression: string): string;
  /**
   * Writes how many of some numbers are less than a `BIGINT`, null for null; undefined where the engine has no word for
   * it.
   *
   * @param ascending at least one, none twice
   */
  countLess(ascending: readonly bigint[]): ((number: string) => string) | undefined;
  /** A table of a few numbers in one column, to stand behind `CROSS JOIN`. */
  numbers(name: string, column: string, values: readonly number[]): string;
  /** A member of `WITH` that is a table of literals. There is at least one row. */
  relation(name: string, columns: readonly string[], rows: readonly (readonly string[])[]): string;
}
