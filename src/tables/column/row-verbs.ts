import { ColumnTable } from "arquero";
import { type Call, IsArqueros, type Native, whileRowsAreTaken } from "./row-aggregates.js";
import { Expressions, isComputed, isWrapped, type Position, rewrap } from "./row-expressions.js";

// Lets verbs of tables take any function of rows. Arquero compiles the text of a function: it knows no variables around
// it, takes `list.includes(d.x)` for its own `includes(d.x)`, and drops the list. A text that means the same to Arquero as
// to JavaScript goes to Arquero as it is. Other functions are called, row by row, by an expression that Arquero compiles;
// aggregates in them stay Arquero's.

/** What of the arguments of a verb are expressions, as Arquero is to get them. */
type Take = (expressions: Expressions, table: ColumnTable, values: readonly unknown[]) => readonly unknown[];

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !("expr" in value);

/** Expressions by name. */
function each(expressions: Expressions, values: unknown, position: Position): unknown {
  if (values instanceof Map) {
    const entries = [...values].map(([name, value]) => [name, expressions.rewrite(value, position)] as const);
    return entries.every(([name, value]) => values.get(name) === value) ? values : new Map(entries);
  }
  if (!isPlainObject(values)) return values;
  const entries = Object.entries(values).map(([name, value]) => [name, expressions.rewrite(value, position)] as const);
  return entries.every(([name, value]) => values[name] === value) ? values : Object.fromEntries(entries);
}

/** Names of columns, functions that choose some, and objects of expressions. */
function list(expressions: Expressions, values: unknown, position: Position): unknown {
  return Array.isArray(values)
    ? values.map((value) => list(expressions, value, position))
    : each(expressions, values, position);
}

/** Keys of joins: names and functions. */
function keys(expressions: Expressions, values: unknown, position: Position): unknown {
  return Array.isArray(values)
    ? values.map((value) => expressions.rewrite(value, position, true))
    : expressions.rewrite(values, position, true);
}

function joinKeys(expressions: Expressions, on: unknown, verb: string, tables: readonly ColumnTable[]): unknown {
  if (!Array.isArray(on)) {
    // The text of a join is a name.
    return on === undefined || on === null || typeof on === "string" ? on : expressions.rewrite(on, { verb, tables });
  }
  const [left, right] = tables;
  const pair: readonly unknown[] = on.length === 1 ? [on[0], on[0]] : on;
  if (!left || !right) return on;
  const rewritten = pair.map((value, index) =>
    index > 1 ? value : keys(expressions, value, { verb, tables: [index === 0 ? left : right] }),
  );
  return rewritten;
}

function joinValues(expressions: Expressions, values: unknown, verb: string, tables: readonly ColumnTable[]): unknown {
  if (!Array.isArray(values)) return each(expressions, values, { verb, tables });
  const [, right] = tables;
  return values.map((value, index) =>
    index === 1 && right
      ? list(expressions, value, { verb, tables: [right] })
      : list(expressions, value, { verb, tables }),
  );
}

const named =
  (verb: string): Take =>
  (expressions, table, [values, ...rest]) => [each(expressions, values, { verb, tables: [table] }), ...rest];

const listed =
  (verb: string): Take =>
  (expressions, table, values) =>
    values.map((value) => list(expressions, value, { verb, tables: [table] }));

const joined =
  (verb: string): Take =>
  (expressions, table, [other, on, values, ...rest]) => {
    if (!(other instanceof ColumnTable)) return [other, on, values, ...rest];
    const tables = [table, other];
    return [other, joinKeys(expressions, on, verb, tables), joinValues(expressions, values, verb, tables), ...rest];
  };

const joinedOn =
  (verb: string): Take =>
  (expressions, table, [other, on, ...rest]) =>
    other instanceof ColumnTable
      ? [other, joinKeys(expressions, on, verb, [table, other]), ...rest]
      : [other, on, ...rest];

const takes: Readonly<Record<string, Take>> = {
  derive: named("derive"),
  rollup: (expressions, table, [values, ...rest]) => [
    each(expressions, values, { verb: "rollup", tables: [table], isOfGroup: true }),
    ...rest,
  ],
  filter: (expressions, table, [criteria, ...rest]) => [
    expressions.rewrite(criteria, { verb: "filter", tables: [table] }),
    ...rest,
  ],
  groupby: listed("groupby"),
  dedupe: listed("dedupe"),
  spread: (expressions, table, [values, ...rest]) => [
    list(expressions, values, { verb: "spread", tables: [table] }),
    ...rest,
  ],
  fold: (expressions, table, [values, ...rest]) => [
    list(expressions, values, { verb: "fold", tables: [table] }),
    ...rest,
  ],
  unroll: (expressions, table, [values, ...rest]) => [
    list(expressions, values, { verb: "unroll", tables: [table] }),
    ...rest,
  ],
  pivot: (expressions, table, [on, values, ...rest]) => [
    list(expressions, on, { verb: "pivot", tables: [table] }),
    list(expressions, values, { verb: "pivot", tables: [table], isOfGroup: true }),
    ...rest,
  ],
  impute: (expressions, table, [values, options, ...rest]) => {
    const taken = each(expressions, values, { verb: "impute", tables: [table], needsAggregate: true });
    if (!isPlainObject(options) || options["expand"] === undefined) return [taken, options, ...rest];
    const expand = list(expressions, options["expand"], { verb: "impute", tables: [table], isOfGroup: true });
    return [taken, { ...options, expand }, ...rest];
  },
  sample: (expressions, table, [size, options, ...rest]) => {
    const taken = expressions.rewrite(size, { verb: "sample", tables: [table], isOfGroup: true });
    if (!isPlainObject(options) || options["weight"] === undefined) return [taken, options, ...rest];
    const weight = expressions.rewrite(options["weight"], { verb: "sample", tables: [table] }, true);
    return [taken, { ...options, weight }, ...rest];
  },
  join: joined("join"),
  join_left: joined("join_left"),
  join_right: joined("join_right"),
  join_full: joined("join_full"),
  cross: (expressions, table, [other, values, ...rest]) =>
    other instanceof ColumnTable
      ? [other, joinValues(expressions, values, "cross", [table, other]), ...rest]
      : [other, values, ...rest],
  semijoin: joinedOn("semijoin"),
  antijoin: joinedOn("antijoin"),
  lookup: (expressions, table, [other, on, ...values]) =>
    other instanceof ColumnTable
      ? [
          other,
          joinKeys(expressions, on, "lookup", [table, other]),
          ...values.map((value) => list(expressions, value, { verb: "lookup", tables: [other] })),
        ]
      : [other, on, ...values],
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

function takeRows(verb: Verb, take: Take): Verb {
  return function (...values) {
    const arqueros = new Set<Call>();
    for (;;) {
      const expressions = new Expressions(arqueros);
      const taken = take(expressions, this, values);
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
  for (const [name, take] of Object.entries(takes)) extended[name] = takeRows(prototype[name] as Verb, take);
  extended["orderby"] = orderByRows(prototype["orderby"] as Verb);
  for (const [name, value] of Object.entries(extended)) {
    if (typeof value === "function") Object.defineProperty(value, "name", { value: name });
    Object.defineProperty(prototype, name, { value, configurable: true, writable: true, enumerable: false });
  }
}

extendVerbs(ColumnTable.prototype as unknown as Record<PropertyKey, unknown>);
