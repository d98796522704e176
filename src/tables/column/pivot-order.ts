import type { ColumnTable } from "arquero";

type Verb = (this: ColumnTable, ...values: readonly unknown[]) => unknown;

/**
 * Orders the columns that `pivot()` makes of numbers and dates by their size. Arquero sorts all of them as strings: 1, 10, 2.
 */
export function pivotBySize(pivot: Verb): Verb {
  return function (on, values, options, ...rest) {
    const table = Reflect.apply(pivot, this, [on, values, options, ...rest]) as ColumnTable;
    const { sort, limit, keySeparator } = Object(options) as PivotOptions;
    if (sort === false) return table;
    const keys = keysInOrder(this, on, keySeparator ?? "_");
    if (!keys) return table;
    // Arquero would keep the first ones in its own order.
    const all = limit
      ? (Reflect.apply(pivot, this, [on, values, { ...Object(options), limit: undefined }, ...rest]) as ColumnTable)
      : table;
    return inOrder(
      all,
      this.isGrouped() ? this.groups().names.length : 0,
      keys,
      limit && limit > 0 ? limit : undefined,
    );
  };
}

interface PivotOptions {
  readonly sort?: boolean | null;
  readonly limit?: number;
  readonly keySeparator?: string;
}

/** What the columns are called after, by size; undefined if nothing of it has a size, or if two are called the same. */
function keysInOrder(table: ColumnTable, on: unknown, separator: string): readonly string[] | undefined {
  const distinct = table
    .ungroup()
    .groupby(...([on].flat() as Parameters<ColumnTable["groupby"]>))
    .rollup();
  const columns = distinct.columnNames().map((name) => Array.from(distinct.array(name)) as readonly unknown[]);
  if (!columns.some(haveSizes)) return undefined;
  const compares = columns.map((column) => (haveSizes(column) ? bySize : byName));
  const rows = Array.from({ length: distinct.numRows() }, (_, row) => columns.map((column) => column[row]));
  // Arquero makes no column for a single missing value.
  const named = columns.length === 1 ? rows.filter(([value]) => !isMissing(value)) : rows;
  named.sort((a, b) => {
    const place = compares.findIndex((compare, index) => compare(a[index], b[index]) !== 0);
    return compares[place]?.(a[place], b[place]) ?? 0;
  });
  const keys = named.map((row) => (columns.length === 1 ? String(row[0]) : row.join(separator)));
  return new Set(keys).size === keys.length ? keys : undefined;
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined || Number.isNaN(value);
}

function haveSizes(values: readonly unknown[]): boolean {
  const filled = values.filter((value) => !isMissing(value));
  const areNumbers = filled.every((value) => typeof value === "number" || typeof value === "bigint");
  return filled.length > 1 && (areNumbers || filled.every((value) => value instanceof Date));
}

/** Missing values are last. */
function bySize(a: unknown, b: unknown): number {
  if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
  return (a as number) < (b as number) ? -1 : Number((a as number) > (b as number));
}

function byName(a: unknown, b: unknown): number {
  return String(a) < String(b) ? -1 : Number(String(a) > String(b));
}

/** The columns of each value that is shown, by their keys; the columns that the table is grouped by stay first. */
function inOrder(table: ColumnTable, groupCount: number, keys: readonly string[], limit = keys.length): ColumnTable {
  const names = table.columnNames();
  const arqueros = [...keys].sort();
  const places = keys.slice(0, limit).map((key) => arqueros.indexOf(key));
  const shown = names.slice(groupCount);
  if (keys.length === 0 || shown.length % keys.length !== 0) return table;
  const starts = Array.from({ length: shown.length / keys.length }, (_, value) => value * keys.length);
  const ordered = starts.flatMap((start) => places.map((place) => shown[start + place] as string));
  return table.select([...names.slice(0, groupCount), ...ordered]);
}
