import { ColumnTable } from "arquero";
import { keepTypes } from "../types/keep-types.js";
import { escapeMarkup } from "./markup-writers.js";
import { tellMissingColumns } from "./missing-column.js";
import { pivotInOrder } from "./pivot-order.js";
import { type Call, IsArqueros, type Native, whileRowsAreTaken } from "./row-aggregates.js";
import { Expressions, isComputed, isWrapped, type Position, rewrap } from "./row-expressions.js";

// Lets verbs of tables take any function of rows. Arquero compiles the text of a function: it knows no variables around
// it, takes `list.includes(d.x)` for its own `includes(d.x)`, and drops the list. A text that means the same to Arquero as
// to JavaScript goes to Arquero as it is. Other functions are called, row by row, by an expression that Arquero compiles;
// aggregates in them stay Arquero's.

/** The arguments of a verb, whose expressions are as Arquero is to get them. */
type Take = (
  expressions: Expressions,
  table: ColumnTable,
  values: readonly unknown[],
  verb: string,
) => readonly unknown[];

/** An argument with its expressions as Arquero is to get them. */
type Rewrite = (expressions: Expressions, value: unknown, position: Position) => unknown;

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("expr" in value);

const one: Rewrite = (expressions, value, position) => expressions.rewrite(value, position);

/** Expressions by name. */
const each: Rewrite = (expressions, values, position) => {
  const isMap = values instanceof Map;
  if (!isMap && !isPlainObject(values)) return values;
  const given: readonly (readonly [string, unknown])[] = [...(isMap ? values : Object.entries(values))];
  const taken = given.map(([name, value]) => [name, expressions.rewrite(value, position)] as const);
  if (taken.every(([, value], index) => value === given[index]?.[1])) return values;
  return isMap ? new Map(taken) : Object.fromEntries(taken);
};

/** Names of columns, functions that choose some, and objects of expressions. */
const list: Rewrite = (expressions, values, position) =>
  Array.isArray(values)
    ? values.map((value) => list(expressions, value, position))
    : each(expressions, values, position);

/** Keys of joins: names and functions. */
const keys: Rewrite = (expressions, values, position) =>
  Array.isArray(values)
    ? values.map((value) => expressions.rewrite(value, position, true))
    : expressions.rewrite(values, position, true);

type TwoTables = readonly [left: ColumnTable, right: ColumnTable];

function joinKeys(expressions: Expressions, on: unknown, verb: string, tables: TwoTables): unknown {
  if (!Array.isArray(on)) {
    // The text of a join is a name.
    return on === undefined || on === null || typeof on === "string" ? on : expressions.rewrite(on, { verb, tables });
  }
  const [left, right] = tables;
  const pair: readonly unknown[] = on.length === 1 ? [on[0], on[0]] : on;
  return pair.map((value, index) =>
    index > 1 ? value : keys(expressions, value, { verb, tables: [index === 0 ? left : right] }),
  );
}

function joinValues(expressions: Expressions, values: unknown, verb: string, tables: TwoTables): unknown {
  if (!Array.isArray(values)) return each(expressions, values, { verb, tables });
  return values.map((value, index) => list(expressions, value, { verb, tables: index === 1 ? [tables[1]] : tables }));
}

/** A verb whose first argument has expressions. */
const first =
  (rewrite: Rewrite, isOfGroup = false): Take =>
  (expressions, table, [value, ...rest], verb) => [
    rewrite(expressions, value, { verb, tables: [table], isOfGroup }),
    ...rest,
  ];

const listed: Take = (expressions, table, values, verb) =>
  values.map((value) => list(expressions, value, { verb, tables: [table] }));

/** A verb of two tables; what is given where the other one must be may be none. */
const ofTwo =
  (take: (expressions: Expressions, tables: TwoTables, rest: readonly unknown[], verb: string) => unknown[]): Take =>
  (expressions, table, [other, ...rest], verb) => [
    other,
    ...(other instanceof ColumnTable ? take(expressions, [table, other], rest, verb) : rest),
  ];

const joined = ofTwo((expressions, tables, [on, values, ...rest], verb) => [
  joinKeys(expressions, on, verb, tables),
  joinValues(expressions, values, verb, tables),
  ...rest,
]);

const joinedOn = ofTwo((expressions, tables, [on, ...rest], verb) => [
  joinKeys(expressions, on, verb, tables),
  ...rest,
]);

const takes: Readonly<Record<string, Take>> = {
  derive: first(each),
  rollup: first(each, true),
  filter: first(one),
  groupby: listed,
  dedupe: listed,
  spread: first(list),
  fold: first(list),
  unroll: first(list),
  pivot: (expressions, table, [on, values, ...rest], verb) => [
    list(expressions, on, { verb, tables: [table] }),
    list(expressions, values, { verb, tables: [table], isOfGroup: true }),
    ...rest,
  ],
  impute: (expressions, table, [values, options, ...rest], verb) => {
    const taken = each(expressions, values, { verb, tables: [table], needsAggregate: true });
    if (!isPlainObject(options) || options["expand"] === undefined) return [taken, options, ...rest];
    const expand = list(expressions, options["expand"], { verb, tables: [table], isOfGroup: true });
    return [taken, { ...options, expand }, ...rest];
  },
  sample: (expressions, table, [size, options, ...rest], verb) => {
    const taken = expressions.rewrite(size, { verb, tables: [table], isOfGroup: true });
    if (!isPlainObject(options) || options["weight"] === undefined) return [taken, options, ...rest];
    const weight = expressions.rewrite(options["weight"], { verb, tables: [table] }, true);
    return [taken, { ...options, weight }, ...rest];
  },
  join: joined,
  join_left: joined,
  join_right: joined,
  join_full: joined,
  cross: ofTwo((expressions, tables, [values, ...rest], verb) => [
    joinValues(expressions, values, verb, tables),
    ...rest,
  ]),
  semijoin: joinedOn,
  antijoin: joinedOn,
  lookup: ofTwo((expressions, tables, [on, ...values], verb) => [
    joinKeys(expressions, on, verb, tables),
    ...values.map((value) => list(expressions, value, { verb, tables: [tables[1]] })),
  ]),
};

type Verb = (this: ColumnTable, ...values: readonly unknown[]) => unknown;

/** Calls a verb with what it calls in turn: Arquero finds it among the tables' parameters when it compiles. */
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
    return whileRowsAreTaken(call);
  } finally {
    for (const [index, table] of tables.entries()) {
      const own = before[index];
      if (own) Object.defineProperty(table, "params", own);
      else Reflect.deleteProperty(table, "params");
    }
  }
}

function takeRows(verb: Verb, name: string, take: Take): Verb {
  return function (...values) {
    const arqueros = new Set<Call>();
    for (;;) {
      const expressions = new Expressions(arqueros);
      const taken = take(expressions, this, values, name);
      if (!expressions.areNative) return Reflect.apply(verb, this, values);
      const tables = [...new Set([this, ...values.filter((value) => value instanceof ColumnTable)])];
      // Arquero tells arguments that are left out by their number, too.
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
 * Sorts by columns that are computed before: what Arquero compiles for a comparison finds neither its functions nor the
 * table's parameters, and would call a function anew for each comparison.
 */
function orderByRows(orderby: Verb): Verb {
  return function (...values) {
    const flat = values
      .flat()
      .flatMap((value): readonly unknown[] => (isPlainObject(value) ? Object.values(value) : [value]));
    const computed: Record<string, unknown> = {};
    const sorted = flat.map((value) => {
      const expr = isWrapped(value) ? value.expr : value;
      if (typeof expr !== "function" || !isComputed(expr as Call, this)) return value;
      const name = `\u0000${Object.keys(computed).length}`;
      computed[name] = expr;
      return isWrapped(value) ? rewrap(value, name) : name;
    });
    if (Object.keys(computed).length === 0) return Reflect.apply(orderby, this, values);
    const table = this.derive(computed as Parameters<ColumnTable["derive"]>[0]);
    const ordered = Reflect.apply(orderby, table, sorted) as ColumnTable;
    return this.create({ order: ordered.comparator() } as Parameters<ColumnTable["create"]>[0]);
  };
}

const marker = Symbol.for("siteframe.verbs of rows");

/** Once, whichever copy of Siteframe comes first. */
function extendVerbs(prototype: Record<PropertyKey, unknown>): void {
  if (prototype[marker]) return;
  Object.defineProperty(prototype, marker, { value: true });
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
  keepTypes(prototype);
}

extendVerbs(ColumnTable.prototype as unknown as Record<PropertyKey, unknown>);
