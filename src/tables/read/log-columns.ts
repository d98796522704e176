import { MAX_DEPTH } from "../../core/depth.js";
import type { Diagnostic } from "../../core/diagnostic.js";
import { ArgumentError } from "../../core/errors.js";
import { valueNestsDeeper } from "../../core/json.js";
import { hasMember, memberOf } from "../../core/member.js";
import { nameHint } from "../../core/nearest-name.js";
import { valueKind } from "../../core/show-record-value.js";
import { showValue } from "../../core/show-value.js";
import { isTable } from "../column/is-table.js";

/** Values as codes of a dictionary; a code is an index into `values`, or −1 for null. */
export interface CodedValues {
  readonly codes: Int32Array;
  readonly values: readonly unknown[];
  /** True if all values are distinct and not null; otherwise unknown. */
  readonly areDistinct?: boolean | undefined;
}

/** A log of changes in columns, one entry per change, in the received order. */
export interface LogColumns {
  readonly length: number;
  readonly ids: CodedValues;
  /** Undefined for a log of a single property, whose name the caller has. */
  readonly keys: CodedValues | undefined;
  readonly values: CodedValues;
  readonly previous: CodedValues | undefined;
  readonly users: CodedValues | undefined;
  /** Coded values if they are not parsed yet. */
  readonly times: LogTimes | CodedValues;
  /** The order of insertion; undefined for the order of rows. */
  readonly sequence: LogTimes | CodedValues | undefined;
  /** Whether values are strings that may represent numbers, as in CSV. */
  readonly isText: boolean;
  /** Diagnostics about the file. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Times, or numbers that only give an order. */
export interface LogTimes {
  /** Microseconds since 1970 if they are times; NaN for missing ones. */
  readonly us: Float64Array;
  /** 1 for a time without a zone: its microseconds are local time. */
  readonly isLocal: Uint8Array | undefined;
  /** Whether they are times, and not only numbers. */
  readonly areTimes: boolean;
}

/** A table of entities with their current values. */
export interface EntityColumns {
  readonly length: number;
  readonly columns: ReadonlyMap<string, ArrayLike<unknown>>;
  /** Whether values are strings that may represent numbers, as in CSV. */
  readonly isText: boolean;
  /** Diagnostics about the file. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Columns by name, or functions of a row. */
export interface LogFields {
  readonly id: FieldOf;
  readonly key: FieldOf | undefined;
  readonly value: FieldOf;
  readonly time: FieldOf;
  readonly sequence: FieldOf | undefined;
  readonly user: FieldOf | undefined;
  readonly previous: FieldOf | undefined;
}

/** The name of a column, or a function of a row of the caller's type. */
export type FieldOf = string | ((row: never, index: number) => unknown);

/** The used part of an Arrow table, of any library. */
export interface ArrowLike {
  readonly numRows: number;
  getChild(name: string): { readonly length: number; get?(row: number): unknown; at?(row: number): unknown } | null;
  readonly schema: { readonly fields: readonly { readonly name: string }[] };
}

/** Whether a value is an Arrow table. */
export function isArrow(value: unknown): value is ArrowLike {
  const { getChild, numRows } = Object(value) as Partial<ArrowLike>;
  return typeof getChild === "function" && typeof numRows === "number";
}

/** Rows in memory: their number, and the values of a field. */
interface RowReader {
  readonly length: number;
  names(): readonly string[];
  read(field: FieldOf, option: string): (row: number) => unknown;
}

/**
 * Reads rows in memory.
 *
 * @param rows objects, an Arquero table, or an Arrow table
 * @throws ArgumentError for other values, and for a missing column
 */
export function rowReader(rows: unknown, what: string): RowReader {
  if (isTable(rows)) {
    const table = rows.reify();
    return byColumn(table.numRows(), table.columnNames(), what, (name) => {
      const valueAt = table.getter(name);
      return (row) => valueAt(row) as unknown;
    });
  }
  if (isArrow(rows)) {
    const names = rows.schema.fields.map(({ name }) => name);
    return byColumn(rows.numRows, names, what, (name) => {
      const column = rows.getChild(name);
      return (row) => (column?.get ? column.get(row) : column?.at?.(row));
    });
  }
  if (typeof rows !== "object" || rows === null || !(Symbol.iterator in rows)) {
    throw new ArgumentError(`fromChanges(): ${what} cannot be ${showValue(rows)}.`, {
      hint: "Pass an array of objects, an Arquero or Arrow table, or the path of a .csv, .tsv, .parquet, .ndjson or .json file.",
    });
  }
  const list: readonly unknown[] = Array.isArray(rows) ? rows : Array.from(rows as Iterable<unknown>);
  const wrong = list.findIndex((row) => typeof row !== "object" || row === null);
  if (wrong >= 0)
    throw new ArgumentError(`fromChanges(): row ${wrong} of ${what} is ${valueKind(list[wrong])}, not an object.`);
  const names = () => [...new Set(list.flatMap((row) => Object.keys(row as object)))];
  return {
    length: list.length,
    names,
    read(field, option) {
      if (typeof field === "function") return (row) => field(list[row] as never, row);
      if (list.length > 0 && !list.some((row) => hasMember(row as object, field))) {
        throw noField(option, field, names(), what);
      }
      return (row) => memberOf(list[row] as object, field);
    },
  };
}

function byColumn(
  length: number,
  names: readonly string[],
  what: string,
  open: (name: string) => (row: number) => unknown,
): RowReader {
  return {
    length,
    names: () => names,
    read(field, option) {
      if (typeof field === "function") {
        const columns = names.map((name) => [name, open(name)] as const);
        return (row) => field(Object.fromEntries(columns.map(([name, at]) => [name, at(row)])) as never, row);
      }
      if (!names.includes(field)) throw noField(option, field, names, what);
      return open(field);
    },
  };
}

/** The error for a missing column. */
export function noField(option: string, name: string, names: readonly string[], what: string): ArgumentError {
  return new ArgumentError(`fromChanges(): unknown column ${showValue(name)} of ${what} in \`${option}\`.`, {
    hint: nameHint(name, names),
    facts: { option, column: name },
  });
}

/**
 * Codes of values in memory; equal scalars share a code. undefined, NaN and invalid dates are null.
 *
 * @param option the option that names the column
 * @throws ArgumentError for a circular or too deeply nested value
 */
export function codeValues(length: number, valueAt: (row: number) => unknown, option: string): CodedValues {
  const codes = new Int32Array(length);
  const values: unknown[] = [];
  const codeOf = new Map<unknown, number>();
  for (let row = 0; row < length; row += 1) {
    const value = plainValue(valueAt(row));
    if (value === null) {
      codes[row] = -1;
      continue;
    }
    let code = codeOf.get(value);
    if (code === undefined) {
      if (valueNestsDeeper(value)) throw tooDeep(`the value in row ${row}`, { option, row });
      code = values.push(value) - 1;
      codeOf.set(value, code);
    }
    codes[row] = code;
  }
  return { codes, values };
}

/** @param what subject of the message */
export function tooDeep(what: string, facts: Readonly<Record<string, unknown>>): ArgumentError {
  const option = "option" in facts ? ` (option ${String(facts["option"])})` : "";
  return new ArgumentError(`fromChanges(): ${what} is nested deeper than ${MAX_DEPTH} levels${option}.`, {
    hint: "Replace it with a string or with its parts.",
    facts,
  });
}

/** A value for JSON: a `Date` is its ISO string, a 64-bit integer a number if exact. */
function plainValue(value: unknown): unknown {
  if (value === undefined || value === null || (typeof value === "number" && Number.isNaN(value))) return null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return value;
}

const INTEGER = /^(0|-?[1-9]\d{0,15})$/;

/** Ids as numbers if all strings are integers; otherwise unchanged. */
export function numbersWhereAll({ codes, values }: CodedValues): CodedValues {
  const areNumbers = values.every((text) => INTEGER.test(text as string) && Number.isSafeInteger(Number(text)));
  return { codes, values: areNumbers ? values.map(Number) : values };
}
