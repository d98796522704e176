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
import { type Call, IsArqueros, type Native, refuseAggregatesAsValues, whileRowsAreRead } from "./native-calls.js";
import { pivotInOrder } from "./pivot-order.js";
import type { Position } from "./read-row-function.js";
import { Expressions, isComparable, isWrapped, rewrap } from "./row-expressions.js";

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
