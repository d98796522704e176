import type { ColumnTable } from "arquero";
import { freeName } from "../../core/free-name.js";

type Verb = (this: ColumnTable, ...values: readonly unknown[]) => unknown;

/**
 * Lets `pivot()` add a column for rows without a key, which Arquero omits, and sorts the new columns of numbers and
 * dates by size: Arquero sorts all of them as strings, 1, 10, 2.
 */
export function pivotInOrder(pivot: Verb): Verb {
  return function (on, values, options, ...rest) {
    const { sort, limit, keySeparator } = Object(options) as PivotOptions;
    const keys = keysOf(this, on, keySeparator ?? "_");
    const [table, key] = keys.missing === undefined ? [this, on] : withKey(this, on, keys.missing);
    const call = (given: unknown) => Reflect.apply(pivot, table, [key, values, given, ...rest]) as ColumnTable;
    if (sort === false || !keys.ordered) return call(options);
    // With a limit, Arquero would keep the first ones in its own order.
    return inOrder(
      call(limit ? { ...Object(options), limit: undefined } : options),
      this.isGrouped() ? this.groups().names.length : 0,
      keys.ordered,
      limit && limit > 0 ? limit : undefined,
    );
  };
}

interface PivotOptions {
  readonly sort?: boolean | null;
  readonly limit?: number;
  readonly keySeparator?: string;
}

interface Keys {
  /** Keys of the columns by size, the missing one last; undefined if Arquero's order is the same. */
  readonly ordered: readonly string[] | undefined;
  /** Name of the column for rows without a key; undefined if all rows have one. */
  readonly missing: string | undefined;
}

function keysOf(table: ColumnTable, on: unknown, separator: string): Keys {
  const distinct = groupedBy(table, on).rollup();
  const columns = distinct.columnNames().map((name) => Array.from(distinct.array(name)) as readonly unknown[]);
  const rows = Array.from({ length: distinct.numRows() }, (_, row) => columns.map((column) => column[row]));
  // Arquero joins several values to a string, which is never missing.
  const isOne = columns.length === 1;
  const filled = isOne ? rows.filter(([value]) => !isMissing(value)) : rows;
  const isComplete = filled.length === rows.length;
  const compares = columns.map((column) => (haveSizes(column) ? bySize : byName));
  filled.sort((a, b) => {
    const index = compares.findIndex((compare, index) => compare(a[index], b[index]) !== 0);
    return compares[index]?.(a[index], b[index]) ?? 0;
  });
  const names = filled.map((row) => (isOne ? String(row[0]) : row.join(separator)));
  const missing = isComplete ? undefined : freeName("null", new Set(names));
  const keys = missing === undefined ? names : [...names, missing];
  const isArqueros = isComplete && !columns.some(haveSizes);
  return { ordered: isArqueros || new Set(keys).size < keys.length ? undefined : keys, missing };
}

function groupedBy(table: ColumnTable, on: unknown): ColumnTable {
  return table.ungroup().groupby(...([on].flat() as Parameters<ColumnTable["groupby"]>));
}

/** A table with the keys of its rows in a column, and the name of that column. `missing` replaces missing keys. */
function withKey(table: ColumnTable, on: unknown, missing: string): readonly [ColumnTable, string] {
  const grouped = groupedBy(table, on);
  const { keys } = grouped.groups();
  const distinct = grouped.rollup();
  const [first] = distinct.columnNames();
  const values = Array.from(distinct.array(first as string), (value) => (isMissing(value) ? missing : value));
  const name = freeName("key", new Set(table.columnNames()));
  const column = Array.from({ length: table.totalRows() }, (_, row) => values[keys[row] as number]);
  const data = { ...table.data(), [name]: column };
  return [table.create({ data, names: [...table.columnNames(), name] } as Parameters<ColumnTable["create"]>[0]), name];
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined || Number.isNaN(value);
}

function haveSizes(values: readonly unknown[]): boolean {
  const filled = values.filter((value) => !isMissing(value));
  const areNumbers = filled.every((value) => typeof value === "number" || typeof value === "bigint");
  return filled.length > 1 && (areNumbers || filled.every((value) => value instanceof Date));
}

/** Compares by size, with missing values last. */
function bySize(a: unknown, b: unknown): number {
  if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
  return (a as number) < (b as number) ? -1 : Number((a as number) > (b as number));
}

function byName(a: unknown, b: unknown): number {
  return String(a) < String(b) ? -1 : Number(String(a) > String(b));
}

/** The value columns in the order of their keys. The columns that the table is grouped by stay first. */
function inOrder(table: ColumnTable, groupCount: number, keys: readonly string[], limit = keys.length): ColumnTable {
  const names = table.columnNames();
  const arqueros = [...keys].sort();
  const indices = keys.slice(0, limit).map((key) => arqueros.indexOf(key));
  const valueNames = names.slice(groupCount);
  if (keys.length === 0 || valueNames.length % keys.length !== 0) return table;
  const starts = Array.from({ length: valueNames.length / keys.length }, (_, value) => value * keys.length);
  const ordered = starts.flatMap((start) => indices.map((index) => valueNames[start + index] as string));
  return table.select([...names.slice(0, groupCount), ...ordered]);
}
