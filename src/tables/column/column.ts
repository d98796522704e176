import { dateOf, type ExactUs, exactUs, parseInstant } from "../../core/instant.js";

/**
 * A column of values, one per row. Arrays, typed arrays and all other objects of this form are columns. Arquero uses
 * them without a copy.
 */
export interface Column<T = unknown> {
  readonly length: number;
  at(row: number): T | undefined;
  [Symbol.iterator](): Iterator<T>;
}

const quiet = new WeakSet<object>();

/**
 * Marks a column, or the prototype of a class of columns, as readable without running user code, so that inspections
 * may read its values.
 */
export function readsQuietly<T extends object>(columnOrPrototype: T): T {
  quiet.add(columnOrPrototype);
  return columnOrPrototype;
}

/** The value as a column, if it can be read without running user code. */
export function quietColumn(value: object): Column | undefined {
  const isQuiet = quiet.has(value) || quiet.has(Object.getPrototypeOf(value) ?? value);
  return isQuiet ? (value as Column) : undefined;
}

/** Number of values of a column for each JSON type. */
export type TypeCounts = Readonly<Record<ValueType, number>>;

/** JSON types; arrays and objects are `json`. */
export type ValueType = "null" | "boolean" | "number" | "string" | "json";

/** A column that counts types without decoding its values. */
interface TypedColumn extends Column {
  countTypes(): TypeCounts;
}

/** Receives the values of a column: numbers and times by row, others in any order. A missing value is null. */
export interface ValueCounter {
  /** @param rows number of rows with the value */
  add(value: unknown, rows: number): void;
  /** Arrays and objects, which need not be decoded. */
  addObjects(rows: number): void;
  /** One number per row; NaN is null. */
  addNumbers(numbers: Float64Array): void;
  /** One instant per row, in milliseconds since 1970. */
  addTimes(times: Float64Array): void;
  addTexts(texts: EncodedTexts): void;
}

/** Strings, one per row, that are mostly distinct: decoded only when read. */
export interface EncodedTexts {
  readonly length: number;
  at(index: number): string;
  /** A 32-bit hash, equal for equal strings. */
  hashAt(index: number): number;
  /** The input of the hashes. Hashes of different kinds cannot be compared. */
  readonly hashed: "bytes" | "instant" | "uuid";
}

/** A column that counts its values without decoding each one. */
export interface CountedColumn {
  countInto(counter: ValueCounter): void;
}

/** The column, if it counts its values itself. */
export function countedColumn(column: object): CountedColumn | undefined {
  return "countInto" in column ? (column as CountedColumn) : undefined;
}

/** Counts the values of a column by type. A missing value is null. */
export function countTypes(column: Column): TypeCounts {
  if (isTyped(column)) return column.countTypes();
  const counts = noTypes();
  for (const value of column) counts[typeOf(value)] += 1;
  return counts;
}

/** Zero counts, to add to. */
export function noTypes(): Record<ValueType, number> {
  return { null: 0, boolean: 0, number: 0, string: 0, json: 0 };
}

/** The JSON type of a value. */
export function typeOf(value: unknown): ValueType {
  if (value === null || value === undefined) return "null";
  const type = typeof value;
  return type === "boolean" || type === "number" || type === "string" ? type : "json";
}

function isTyped(column: Column): column is TypedColumn {
  return "countTypes" in column;
}

/** A column whose values are computed when they are read. */
export function computedColumn<T>(length: number, at: (row: number) => T): Column<T> {
  return readsQuietly({
    length,
    at: (row: number) => (row >= 0 && row < length ? at(row) : undefined),
    *[Symbol.iterator]() {
      for (let row = 0; row < length; row += 1) yield at(row);
    },
  });
}

/** Timestamps as `Date`s, created when they are read. Invalid instants keep their original value. */
export class DateColumn implements Column, CountedColumn {
  readonly length: number;
  /** The values as received. */
  readonly texts: Column;
  #parsed: Float64Array | undefined;

  constructor(texts: Column) {
    this.length = texts.length;
    this.texts = texts;
  }

  at(row: number): unknown {
    const us = this.exactUs(row);
    return Number.isNaN(us) ? this.texts.at(row) : dateOf(us);
  }

  /** Microseconds since 1970 as a double; NaN for an invalid instant. */
  us(row: number): number {
    const texts = this.texts;
    if (readsUs(texts)) return texts.us(row);
    // Most columns of a table are never read.
    this.#parsed ??= parsedUs(texts);
    return this.#parsed[row] ?? Number.NaN;
  }

  /** The same, exact for all years. */
  exactUs(row: number): ExactUs {
    const us = this.us(row);
    if (Number.isSafeInteger(us) || Number.isNaN(us)) return us;
    return exactUs(String(this.texts.at(row))) ?? us;
  }

  countTypes(): TypeCounts {
    return countTypes(this.texts);
  }

  countInto(counter: ValueCounter): void {
    const times = new Float64Array(this.length);
    let count = 0;
    for (let row = 0; row < this.length; row += 1) {
      const us = this.us(row);
      if (Number.isNaN(us)) counter.add(this.texts.at(row), 1);
      else {
        times[count] = Number.isSafeInteger(us) ? Math.floor(us / 1000) : dateOf(this.exactUs(row)).getTime();
        count += 1;
      }
    }
    counter.addTimes(times.subarray(0, count));
  }

  *[Symbol.iterator](): Iterator<unknown> {
    for (let row = 0; row < this.length; row += 1) yield this.at(row);
  }
}

/** A column of timestamps that provides their instants. */
interface UsColumn extends Column {
  us(row: number): number;
}

function readsUs(column: Column): column is UsColumn {
  return "us" in column;
}

function parsedUs(texts: Column): Float64Array {
  const parse = (text: unknown) => (typeof text === "string" ? parseInstant(text)?.us : undefined) ?? Number.NaN;
  return Float64Array.from(texts, parse);
}

/** A column's values in some of its rows, or in another order, without a copy. */
export class PickedColumn<T = unknown> implements Column<T | undefined> {
  readonly length: number;
  /** The original column. */
  readonly source: Column<T>;
  readonly #rows: Int32Array | Uint32Array;

  constructor(source: Column<T>, rows: Int32Array | Uint32Array) {
    this.length = rows.length;
    this.source = source;
    this.#rows = rows;
  }

  at(index: number): T | undefined {
    const row = this.#rows[index];
    return row === undefined ? undefined : this.source.at(row);
  }

  /** Row of the original column. */
  rowAt(index: number): number {
    return this.#rows[index] as number;
  }

  *[Symbol.iterator](): Iterator<T | undefined> {
    for (const row of this.#rows) yield this.source.at(row);
  }
}

/** A column that was read from records. Rows whose record lacks the member are null. */
export interface RecordColumn extends Column {
  /** Whether the record of a row has the member. */
  has(row: number): boolean;
}

/** The columns of records, by the names of their members. */
export interface RecordColumns {
  readonly rowCount: number;
  readonly fields: ReadonlyMap<string, RecordColumn>;
  /** The member whose members are separate columns, and these columns. */
  readonly nested: string | undefined;
  readonly properties: ReadonlyMap<string, RecordColumn>;
}

/** The record of a row, with exactly the members that it had. */
export function recordAt({ fields, nested, properties }: RecordColumns, row: number): Record<string, unknown> {
  const record = members(fields, row);
  if (nested !== undefined && !Object.hasOwn(record, nested)) record[nested] = members(properties, row);
  // Stored as a value if the record lacks the whole member.
  else if (nested !== undefined && record[nested] === undefined) delete record[nested];
  return record;
}

function members(columns: ReadonlyMap<string, RecordColumn>, row: number): Record<string, unknown> {
  // `fromEntries` defines members, so that `__proto__` is a normal member.
  return Object.fromEntries(
    [...columns].flatMap(([name, column]) => (column.has(row) ? [[name, column.at(row)]] : [])),
  );
}
