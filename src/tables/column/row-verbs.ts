// Lets verbs of tables accept any function of rows. Arquero compiles the text of a function: it does not see outer
// variables, mistakes `list.includes(d.x)` for its own `includes(d.x)`, and drops the list. Functions with the same
// meaning in Arquero and JavaScript are passed to Arquero unchanged. Other functions are called row by row, from an
// expression that Arquero compiles. Functions that also contain aggregates can be neither, and are an error.

import { ColumnTable } from "arquero";
import { freeName } from "../../core/free-name.js";
import { printAsShown } from "../display/print-table.js";
import { escapeHtml, escapeMarkdown } from "../display/text.js";
import { keepTypes } from "../types/keep-types.js";
import { tellMissingColumns } from "./missing-column.js";
import type { Position } from "./read-row-function.js";
import {
  type Call,
  Expressions,
  IsArqueros,
  isComparable,
  isWrapped,
  type Native,
  refuseAggregatesAsValues,
  rewrap,
  whileRowsAreRead,
} from "./row-expressions.js";

/** Rewrites an expression of one verb call. */
type Rewrite = (value: unknown, position: Omit<Position, "verb">, areTextsColumns?: boolean) => unknown;

/** An argument with its expressions rewritten. */
type Argument = (rewrite: Rewrite, value: unknown, position: Omit<Position, "verb">) => unknown;

/** The arguments of a verb with their expressions rewritten. */
type Take = (rewrite: Rewrite, table: ColumnTable, values: readonly unknown[]) => readonly unknown[];

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("expr" in value);

const one: Argument = (rewrite, value, position) => rewrite(value, position);

/** Expressions by name. */
const each: Argument = (rewrite, values, position) => {
  const isMap = values instanceof Map;
  if (!isMap && !isPlainObject(values)) return values;
  const given: readonly (readonly [string, unknown])[] = [...(isMap ? values : Object.entries(values))];
  const taken = given.map(([name, value]) => [name, rewrite(value, { ...position, name })] as const);
  return isMap ? new Map(taken) : Object.fromEntries(taken);
};

/** Names of columns, functions that choose columns, and objects of expressions. */
const list: Argument = (rewrite, values, position) =>
  Array.isArray(values) ? values.map((value) => list(rewrite, value, position)) : each(rewrite, values, position);

/** Names of columns and functions, for both tables or as a pair. */
const joinKeys: Argument = (rewrite, on, { tables }) => {
  if (!Array.isArray(on)) return rewrite(on, { tables }, true);
  const pair: readonly unknown[] = on.length === 1 ? [on[0], on[0]] : on;
  return pair.map((keys, index) =>
    [keys].flat().map((key) => rewrite(key, { tables: tables.slice(index, index + 1) }, true)),
  );
};

const joinValues: Argument = (rewrite, values, { tables }) =>
  Array.isArray(values)
    ? values.map((value, index) => list(rewrite, value, { tables: index === 1 ? tables.slice(1) : tables }))
    : each(rewrite, values, { tables });

/** A verb whose first argument has expressions. */
const first =
  (argument: Argument, isOfGroup = false): Take =>
  (rewrite, table, [value, ...rest]) => [argument(rewrite, value, { tables: [table], isOfGroup }), ...rest];

const listed: Take = (rewrite, table, values) => values.map((value) => list(rewrite, value, { tables: [table] }));

/** A verb of two tables. The arguments after the other table have expressions. */
const ofTwo =
  (...kinds: readonly Argument[]): Take =>
  (rewrite, table, [other, ...values]) => {
    if (!(other instanceof ColumnTable)) return [other, ...values];
    const tables = [table, other];
    return [other, ...values.map((value, index) => kinds[index]?.(rewrite, value, { tables }) ?? value)];
  };

const takes: Readonly<Record<string, Take>> = {
  derive: first(each),
  rollup: first(each, true),
  filter: first(one),
  groupby: listed,
  dedupe: listed,
  spread: first(list),
  fold: first(list),
  unroll: first(list),
  pivot: (rewrite, table, [on, values, ...rest]) => [
    list(rewrite, on, { tables: [table] }),
    list(rewrite, values, { tables: [table], isOfGroup: true }),
    ...rest,
  ],
  impute: (rewrite, table, [values, options, ...rest]) => {
    const taken = each(rewrite, values, { tables: [table], needsAggregate: true });
    if (!isPlainObject(options) || options["expand"] === undefined) return [taken, options, ...rest];
    const expand = list(rewrite, options["expand"], { tables: [table], isOfGroup: true });
    return [taken, { ...options, expand }, ...rest];
  },
  sample: (rewrite, table, [size, options, ...rest]) => {
    const taken = rewrite(size, { tables: [table], isOfGroup: true });
    if (!isPlainObject(options) || options["weight"] === undefined) return [taken, options, ...rest];
    return [taken, { ...options, weight: rewrite(options["weight"], { tables: [table] }, true) }, ...rest];
  },
  join: ofTwo(joinKeys, joinValues),
  join_left: ofTwo(joinKeys, joinValues),
  join_right: ofTwo(joinKeys, joinValues),
  join_full: ofTwo(joinKeys, joinValues),
  cross: ofTwo(joinValues),
  semijoin: ofTwo(joinKeys),
  antijoin: ofTwo(joinKeys),
  lookup: (rewrite, table, [other, on, ...values]) => [
    ...ofTwo(joinKeys)(rewrite, table, [other, on]),
    ...(other instanceof ColumnTable ? listed(rewrite, other, values) : values),
  ],
};

type Verb = (this: ColumnTable, ...values: readonly unknown[]) => unknown;

/**
 * Calls a verb with the functions that it calls among the tables' parameters, because Arquero looks them up there when
 * it compiles.
 */
function withNatives(
  tables: readonly ColumnTable[],
  natives: Readonly<Record<string, Native>>,
  call: () => unknown,
): unknown {
  const before = tables.map((table) => Object.getOwnPropertyDescriptor(table, "params"));
  for (const table of tables) {
    const params = { ...table.params(), ...natives };
    Object.defineProperty(table, "params", { value: () => params, configurable: true, writable: true });
  }
  try {
    return whileRowsAreRead(call);
  } finally {
    for (const [index, table] of tables.entries()) {
      const previous = before[index];
      if (previous) Object.defineProperty(table, "params", previous);
      else Reflect.deleteProperty(table, "params");
    }
  }
}

function takeRows(verb: Verb, name: string, take: Take): Verb {
  return function (...values) {
    const arqueros = new Set<Call>();
    for (;;) {
      const expressions = new Expressions(arqueros);
      const rewrite: Rewrite = (value, position, areTextsColumns) =>
        expressions.rewrite(value, { ...position, verb: name }, areTextsColumns);
      const taken = take(rewrite, this, values);
      const tables = [...new Set([this, ...values.filter((value) => value instanceof ColumnTable)])];
      // Arquero also detects omitted arguments by their number.
      const given = taken.slice(0, values.length);
      try {
        return withNatives(tables, expressions.natives, () => Reflect.apply(verb, this, given));
      } catch (error) {
        if (!(error instanceof IsArqueros) || arqueros.has(error.given)) throw error;
        arqueros.add(error.given);
      }
    }
  };
}

/**
 * Derives keys that Arquero does not compile for comparisons, or would compute for each comparison, and sorts by them.
 */
function orderByRows(orderby: Verb): Verb {
  return function (...values) {
    const used = new Set(this.columnNames());
    const derived: Record<string, unknown> = {};
    const sorted = values
      .flat()
      .flatMap((value): readonly unknown[] => (isPlainObject(value) ? Object.values(value) : [value]))
      .map((value) => {
        const expr = isWrapped(value) ? value.expr : value;
        if (typeof expr !== "function" || isComparable(expr as Call, this)) return value;
        const name = freeName("key", used);
        derived[name] = expr;
        return isWrapped(value) ? rewrap(value, name) : name;
      });
    if (Object.keys(derived).length === 0) return Reflect.apply(orderby, this, values);
    const table = this.derive(derived as Parameters<ColumnTable["derive"]>[0]);
    const ordered = Reflect.apply(orderby, table, sorted) as ColumnTable;
    return this.create({ order: ordered.comparator() } as Parameters<ColumnTable["create"]>[0]);
  };
}

const marker = Symbol.for("siteframe.verbs of rows");

/** Once, by the first loaded copy of Siteframe. */
function extendVerbs(prototype: Record<PropertyKey, unknown>): void {
  if (prototype[marker]) return;
  Object.defineProperty(prototype, marker, { value: true });
  refuseAggregatesAsValues();
  const extended: Record<string, unknown> = {};
  for (const [name, take] of Object.entries(takes)) extended[name] = takeRows(prototype[name] as Verb, name, take);
  extended["pivot"] = pivotInOrder(extended["pivot"] as Verb);
  extended["orderby"] = orderByRows(prototype["orderby"] as Verb);
  for (const [name, value] of Object.entries(extended)) {
    if (typeof value === "function") Object.defineProperty(value, "name", { value: name });
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true, enumerable: false });
  }
  escapeMarkup(prototype);
  tellMissingColumns(prototype);
  printAsShown(prototype);
  keepTypes(prototype);
}

extendVerbs(ColumnTable.prototype as unknown as Record<PropertyKey, unknown>);

// Arquero's markup writers do not escape column names and, in Markdown, values.

interface MarkupOptions {
  readonly columns?: ((table: ColumnTable) => readonly string[]) | readonly string[];
  readonly align?: Readonly<Record<string, unknown>>;
  readonly format?: Readonly<Record<string, unknown>>;
  readonly style?: Readonly<Record<string, unknown>>;
  readonly null?: unknown;
}

type Writer = (this: ColumnTable, options?: MarkupOptions) => string;

/** Wraps the methods of tables. */
function escapeMarkup(prototype: Record<PropertyKey, unknown>): void {
  const [toHtml, toMarkdown] = [prototype["toHTML"] as Writer, prototype["toMarkdown"] as Writer];
  define(prototype, "toHTML", function (options = {}) {
    const { table, namesBefore, ...named } = withNames(this, options, escapeHtml);
    const style = Object.fromEntries(
      Object.entries(options.style ?? {}).map(([tag, format]) => [
        tag,
        typeof format === "function"
          ? (name: string, ...position: readonly number[]) => format(namesBefore.get(name), ...position)
          : format,
      ]),
    );
    return Reflect.apply(toHtml, table, [{ ...options, ...named, style }]);
  });
  define(prototype, "toMarkdown", function (options = {}) {
    const { table, namesBefore, ...named } = withNames(this, options, escapeCell);
    const format = Object.fromEntries(
      table.columnNames().map((name) => {
        const write = options.format?.[namesBefore.get(name) as string];
        return [name, typeof write === "function" ? (value: unknown) => escapeCell(String(write(value))) : write];
      }),
    );
    const texts = table.columnNames().filter((name) => typeof format[name] !== "function" && hasTexts(table, name));
    for (const name of texts) format[name] = (value: unknown) => escapeCell(cellText(value));
    return Reflect.apply(toMarkdown, table, [{ ...options, ...named, format }]);
  });
}

function define(prototype: Record<PropertyKey, unknown>, name: string, method: Writer): void {
  const value = Object.defineProperty(method, "name", { value: name });
  Object.defineProperty(prototype, name, { value, configurable: true, writable: true, enumerable: false });
}

/** The chosen columns of a table with escaped names, and options by those names. */
function withNames(table: ColumnTable, options: MarkupOptions, escapeName: (name: string) => string) {
  const { columns } = options;
  const names = typeof columns === "function" ? columns(table) : (columns ?? table.columnNames());
  const escaped = new Map(names.map((name) => [name, escapeName(name)]));
  const renamed = (given: Readonly<Record<string, unknown>> | undefined) =>
    Object.fromEntries(Object.entries(given ?? {}).map(([name, value]) => [escaped.get(name) ?? name, value]));
  return {
    table: table.select([...names]).rename(Object.fromEntries(escaped)),
    namesBefore: new Map([...escaped].map(([name, after]) => [after, name])),
    columns: [...escaped.values()],
    align: renamed(options.align),
    format: renamed(options.format),
  };
}

/** Arquero escapes each bar as `\|`. After a backslash, such a bar would end the cell. */
function escapeCell(text: string): string {
  return escapeMarkdown(text).replaceAll("\\|", "&#124;");
}

function hasTexts(table: ColumnTable, name: string): boolean {
  let isFound = false;
  table.scan((row, data, stop) => {
    const value: unknown = data?.[name]?.at(row as number);
    isFound = typeof value === "string" || (typeof value === "object" && value !== null && !(value instanceof Date));
    if (isFound) stop?.();
  });
  return isFound;
}

/** Maximum length of objects and lists, as in Arquero. */
const MOST = 30;

function cellText(value: unknown): string {
  if (typeof value !== "object" || value === null || value instanceof Date) return String(value);
  const text = JSON.stringify(value, (_, one: unknown) => (ArrayBuffer.isView(one) ? [...(one as Uint8Array)] : one));
  return text.length > MOST ? `${text.slice(0, MOST - 2)}…${text.startsWith("[") ? "]" : "}"}` : text;
}

/**
 * Lets `pivot()` add a column for rows without a key, which Arquero omits, and sorts the new columns of numbers and
 * dates by size: Arquero sorts all of them as strings, 1, 10, 2.
 */
function pivotInOrder(pivot: Verb): Verb {
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
