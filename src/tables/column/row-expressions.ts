import { addFunction, type ColumnTable, type op } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { freeName } from "../../core/free-name.js";
import { printableLine } from "../../core/printable.js";
import { registry } from "./arquero-functions.js";
import { noColumn } from "./missing-column.js";
import {
  type Comparison,
  type Edit,
  isIn,
  isName,
  type Named,
  type OpCall,
  type Position,
  type RowFunction,
  readRowFunction,
  type Span,
  standardNames,
} from "./read-row-function.js";

/** The expressions of one verb call, rewritten for Arquero. */
export class Expressions {
  /** Functions that they call, by their names among the table's parameters. */
  readonly natives: Record<string, Native> = {};
  /** Functions whose ambiguous names belong to Arquero. */
  readonly #arqueros: ReadonlySet<Call>;
  #count = 0;

  constructor(arqueros: ReadonlySet<Call>) {
    this.#arqueros = arqueros;
  }

  /**
   * Rewrites a value that a verb accepts as an expression; returns the same value if Arquero should receive it
   * unchanged.
   */
  rewrite(value: unknown, position: Position, areTextsColumns = false): unknown {
    if (typeof value === "function") return this.#given(value as Call, position) ?? value;
    if (typeof value === "string") return areTextsColumns ? value : (this.#given(value, position) ?? value);
    if (!isWrapped(value)) return value;
    const { window } = value;
    const expr = this.rewrite(value.expr, window ? { ...position, window } : position, areTextsColumns);
    return expr === value.expr ? value : rewrap(value, expr);
  }

  /** Replaces a function or a string; undefined if Arquero should receive it unchanged. */
  #given(given: Call | string, position: Position): Call | undefined {
    const isText = typeof given === "string";
    const text = isText ? given : Function.prototype.toString.call(given);
    // Compilers call a name without an object as `(0, cells.mean)(d.x)`.
    const plain = text.replaceAll(/\(0, ?([\w$.]+)\)\(/g, "$1(");
    const fn = readOnce(plain, position.tables.length, isText);
    if (!fn) return isText ? undefined : this.#native(given, undefined, position);
    // Arquero rejects functions that return no value for a row.
    if (!fn.isPlain) return undefined;
    const isArqueros = isText || this.#arqueros.has(given);
    const facts = new Facts(fn, position, isArqueros);
    const { aggregates, closures, isOwn } = facts;
    const isUnread = !isText && position.needsAggregate && aggregates.length === 0 && fn.uses.length > 0;
    if (isOwn && !isUnread) return plain === text ? undefined : codeFunction(plain);
    if (isText && closures.length > 0) return undefined;
    if (position.isOfGroup && facts.readsRow) throw noRow(fn, position);
    if (aggregates.length > 0) {
      facts.columns(0);
      throw deriveFirst(fn, position, facts);
    }
    const isRead = isArqueros && closures.length === 0 && fn.isExpression;
    return isText || isRead
      ? this.#native(compiled(fn, position), facts, position)
      : this.#native(given, facts, position);
  }

  /** A function that is called for each row, unchanged. */
  #native(given: Call, facts: Facts | undefined, { verb, tables, needsAggregate }: Position): Call {
    const parameters = parametersOf(tables);
    const call: Native = tables.length === 1 ? (row) => given(row, parameters) : (a, b) => given(a, b, parameters);
    const key = `siteframe ${this.#count++}`;
    const { unsure, undeclared } = facts ?? { unsure: none, undeclared: none };
    this.natives[key] = noted(call, { verb, given, unsure, undeclared });
    const names = tables.length === 1 ? ["d"] : ["a", "b"];
    const rows = tables.map((table, row) =>
      rowCode(facts?.columns(row) ?? table.columnNames(), (column) => `${names[row]}[${quote(column)}]`),
    );
    const aggregates = needsAggregate ? ",op.count()" : "";
    return codeFunction(
      `(${names.join(",")},$)=>op.${CALL}($[${quote(key)}],${rows[0]},${rows[1] ?? "0"}${aggregates})`,
    );
  }
}

/** Code for Arquero as a function, if a verb accepts nothing else. */
function codeFunction(code: string): Call {
  return Object.assign(() => undefined, { toString: () => code });
}

/**
 * Whether Arquero also compiles a function for comparisons: without calls of its functions and the table's parameters.
 */
export function isComparable(given: Call, table: ColumnTable): boolean {
  const fn = readOnce(Function.prototype.toString.call(given), 1, false);
  if (!fn || fn.free.length > 0 || fn.parameters.length > 1) return false;
  return new Facts(fn, { verb: "orderby", tables: [table] }, false).isOwn && fn.calls.every((c) => c.isAggregate);
}

const none: ReadonlySet<string> = new Set();
const MOST_READ = 2_000;
const read = new Map<string, RowFunction | undefined>();
let knownThen = 0;

function readOnce(text: string, rowCount: number, isText: boolean): RowFunction | undefined {
  // Users may add functions to Arquero's.
  const size = Object.keys(registry).length;
  if (size !== knownThen || read.size > MOST_READ) read.clear();
  knownThen = size;
  const key = `${rowCount}${isText} ${text}`;
  if (!read.has(key)) read.set(key, readRowFunction(text, rowCount, isText));
  return read.get(key);
}

interface Wrapped {
  readonly expr: unknown;
  readonly window?: Position["window"];
}

/** Whether a value is `desc(…)`, `rolling(…)` or similar of an expression that will be compiled. */
export function isWrapped(value: unknown): value is Wrapped {
  if (typeof value !== "object" || value === null || !("expr" in value)) return false;
  return !("escape" in value && value.escape) && !("field" in value && value.field);
}

/** The same wrapper around another expression. */
export function rewrap(value: Wrapped, expr: unknown): unknown {
  return Object.assign(Object.create(Object.getPrototypeOf(value)), value, { expr });
}

const quote = (text: string) => JSON.stringify(text);

function rowCode(columns: readonly string[], value: (column: string) => string): string {
  // As a literal key, `__proto__` would set the prototype.
  const key = (column: string) => (column === "__proto__" ? `["__proto__"]` : quote(column));
  return `{${columns.map((column) => `${key(column)}:${value(column)}`).join(",")}}`;
}

function parametersOf(tables: readonly ColumnTable[]): Row {
  return Object.assign({}, ...[...tables].reverse().map((table) => table.params())) as Row;
}

/** Code as a function, with Arquero's names and the table's parameters as variables. */
function compiled({ text, isFunction, calls, constants, free }: RowFunction, { tables }: Position): Call {
  const parameters = parametersOf(tables);
  const all = { ...registry, op: registry };
  const variables = Object.fromEntries([
    ...calls.map(({ head, name }) => [head, head === name ? registry[name] : head === "Math" ? Math : all]),
    ...constants.map(({ name }) => [name, Math[name as "PI"]]),
    ...free.flatMap(({ name }) => (Object.hasOwn(parameters, name) ? [[name, parameters[name]]] : [])),
  ]) as Readonly<Record<string, unknown>>;
  const code = isFunction ? text : `(${tables.length === 1 ? "d" : "d1,d2"},$)=>(${text}\n)`;
  return new Function(...Object.keys(variables), `"use strict";return(${code}\n)`)(...Object.values(variables)) as Call;
}

/** The meaning of code for the tables that it is used on. */
class Facts implements Pick<RowCall, "unsure" | "undeclared"> {
  /** Aggregates and window functions, except nested ones. */
  readonly aggregates: readonly OpCall[];
  /** Variables from outside the function. */
  readonly closures: readonly Named[];
  readonly unsure: ReadonlySet<string>;
  readonly undeclared: ReadonlySet<string>;
  /** Whether Arquero compiles it with the same meaning as in JavaScript. */
  readonly isOwn: boolean;
  /** Whether it reads a value of one row outside aggregates. */
  readonly readsRow: boolean;
  readonly #function: RowFunction;
  readonly #tables: readonly ColumnTable[];
  /** Positions of code that Arquero does not compile with the same meaning as in JavaScript. */
  readonly #others: readonly number[];

  constructor(fn: RowFunction, { tables, isOfGroup }: Position, isArqueros: boolean) {
    const { calls, constants, free, locals, comparisons, odd, uses, body } = fn;
    const parameters = parametersOf(tables);
    const isGiven = ({ name }: Named) => Object.hasOwn(parameters, name);
    const areArqueros = isArqueros || isOfGroup;
    const aggregates = calls.filter((call) => call.isAggregate && (call.isSure || areArqueros));
    const isInAggregate = ({ start }: Pick<Span, "start">) => aggregates.some((call) => isIn(call, start));
    const unsure = [...calls.filter((call) => !call.isSure), ...constants];
    const ofLocals = locals.filter((local) => isGiven(local) || isInAggregate(local));
    const others = [...free.filter((name) => !isGiven(name)), ...(areArqueros ? [] : unsure), ...ofLocals];
    this.#function = fn;
    this.#tables = tables;
    this.#others = [...odd, ...others.map(({ start }) => start)];
    this.aggregates = aggregates.filter(
      (call) => !aggregates.some((other) => other !== call && isIn(other, call.start)),
    );
    this.closures = free.filter((name) => !isGiven(name) && !standardNames.has(name.name));
    this.unsure = new Set(areArqueros ? [] : unsure.map(({ name }) => name));
    this.undeclared = new Set(
      isArqueros ? [] : [...constants.map(({ name }) => name), ...calls.map(({ head }) => head)],
    );
    this.readsRow = uses.some((use) => isIn(body, use.start) && !isInAggregate(use));
    this.isOwn = this.#others.length === 0 && !comparisons.some((comparison) => isMistaken(comparison, tables));
  }

  /** Whether Arquero compiles a range of it with the same meaning as in JavaScript. */
  isOwnIn(span: Span): boolean {
    return !this.#others.some((start) => isIn(span, start));
  }

  /** The columns of a row that it reads. */
  columns(row: number): readonly string[] {
    const table = this.#tables[row];
    if (!table) return [];
    const columns = new Set<string>();
    for (const { row: of, column } of this.#function.uses) {
      if (of !== row) continue;
      const isColumn = column !== undefined && Object.hasOwn(table.data(), column);
      // Objects have inherited members, such as `toString`.
      if (column === undefined || (!isColumn && column in Object.prototype)) return table.columnNames();
      if (!isColumn) throw noColumn(column, table);
      columns.add(column);
    }
    return [...columns];
  }
}

/** If a value is not among the keys of a column, Arquero finds no row that differs from it. */
function isMistaken({ row, column, value }: Comparison, tables: readonly ColumnTable[]): boolean {
  const fn: unknown = tables[row]?.column(column);
  if (typeof fn !== "object" || fn === null || !("keyFor" in fn)) return false;
  return typeof fn.keyFor === "function" && fn.keyFor(value) < 0;
}

function noRow(fn: RowFunction, { verb }: Position): ArgumentError {
  return new ArgumentError(`${verb}(): a value of one row is read outside of an aggregate: ${shortened(fn)}`, {
    hint: "Use an aggregate: op.max(d.x), or derive() the value first.",
    facts: { verb, function: fn.text },
  });
}

const MOST_CHARACTERS = 200;

/** The text of a function for messages. */
function shortened({ text }: RowFunction): string {
  const line = printableLine(text);
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS - 1)}…` : line;
}

/**
 * The error for a function that combines aggregates with JavaScript that Arquero does not compile, with equivalent
 * code.
 */
function deriveFirst(fn: RowFunction, position: Position, facts: Facts): ArgumentError {
  const { verb } = position;
  const code = steps(fn, position, facts);
  return new ArgumentError(`${verb}(): aggregates are mixed with code that Arquero cannot compile: ${shortened(fn)}`, {
    hint: `Derive first: ${code ?? "a column for each argument of an aggregate, and for each aggregate."}`,
    facts: { verb, function: fn.text, ...(code === undefined ? {} : { code }) },
  });
}

const oneTable = new Set("derive rollup filter groupby dedupe fold spread unroll".split(" "));

/** Verbs to call instead: for the arguments of aggregates, then for the aggregates, then for the rest. */
function steps(fn: RowFunction, position: Position, facts: Facts): string | undefined {
  const { verb, tables, name, window, isOfGroup } = position;
  const isInAggregate = ({ start }: Span) => facts.aggregates.some((call) => isIn(call, start));
  const isRead = fn.isExpression && fn.parameters.every((span) => facts.isOwnIn(span));
  if (!isRead || !oneTable.has(verb) || fn.locals.some(isInAggregate)) return undefined;
  const textOf = (span: Span) => fn.edited([], span);
  const [row = "d", dollar = "$"] = fn.parameters.map(textOf);
  const isPattern = row.startsWith("{");
  const read = (column: string) => (isPattern ? column : `${row}.${column}`);
  const parameter = (columns: readonly string[], body = row.slice(1, -1).trim()) =>
    isPattern ? `{ ${[...columns, body].filter(Boolean).join(", ")} }` : row;

  const used = new Set(tables[0]?.columnNames());
  const parameters: string[] = [];
  const inputs: Record<string, string> = {};
  const computed: Record<string, string> = {};
  const edits: Edit[] = [];
  const [{ start, end }, ...more] = facts.aggregates as [OpCall, ...OpCall[]];
  const isWhole = start === fn.body.start && end === fn.body.end && more.length === 0;
  for (const call of facts.aggregates) {
    const values = call.arguments.map((span) => {
      if (facts.isOwnIn(span)) return textOf(span);
      const text = textOf(span);
      if (!fn.uses.some(({ start }) => isIn(span, start))) {
        const given = isName(text) ? text : freeName("given", used);
        parameters.push(given === text ? text : `${given}: ${text}`);
        return `${dollar}.${given}`;
      }
      const input = freeName("value", used);
      inputs[input] = `(${parameter([])}) => ${text}`;
      return read(input);
    });
    const names = values.some((value) => value.startsWith(`${dollar}.`)) ? `, ${dollar}` : "";
    const code = `(${parameter(Object.keys(inputs))}${names}) => ${textOf(call.callee)}(${values.join(", ")})`;
    const column = (isWhole ? name : undefined) ?? freeName(call.name, used);
    computed[column] = window ? `aq.rolling(${code}, [${window.frame.join(", ")}])` : code;
    edits.push({ ...call, text: read(column) });
  }

  const steps: string[] = [];
  const add = (method: string, columns: Readonly<Record<string, string>>) => {
    const listed = Object.entries(columns).map(([key, code]) => `${isName(key) ? key : JSON.stringify(key)}: ${code}`);
    if (listed.length > 0) steps.push(`.${method}({ ${listed.join(", ")} })`);
  };
  if (parameters.length > 0) steps.push(`.params({ ${parameters.join(", ")} })`);
  add("derive", inputs);
  add(isOfGroup ? "rollup" : "derive", computed);
  if (isWhole && name !== undefined) return steps.join("");
  const [first] = fn.parameters;
  if (first && isPattern) edits.push({ ...first, text: parameter(Object.keys(computed), isOfGroup ? "" : undefined) });
  const text = fn.edited(edits);
  const rest = fn.isFunction ? (first ? text : text.replace("()", "(d)")) : `(d, $) => ${text}`;
  if (name === undefined) steps.push(`.${verb}(${rest})`);
  else add(isOfGroup ? "derive" : verb, { [name]: rest });
  return steps.join("");
}

/** A row with its columns. */
export type Row = Readonly<Record<string, unknown>>;
export type Call = (...values: readonly unknown[]) => unknown;
/** A function that compiled expressions call, with a row of one table or of both. */
export type Native = (row: Row, other: Row) => unknown;

/** Name by which compiled expressions call a `Native`. Not visible to users. */
export const CALL = "siteframe_call";
addFunction(CALL, (call: Native, row: Row, other: Row) => call(row, other), { override: true });
delete registry[CALL];

/** A function that a verb calls for each row. */
interface RowCall {
  readonly verb: string;
  readonly given: Call;
  /** Functions and constants used by names that may belong to Arquero or to the user. */
  readonly unsure: ReadonlySet<string>;
  /** Names that Arquero knows without a declaration, but JavaScript does not. */
  readonly undeclared: ReadonlySet<string>;
}

/** Thrown if a function uses Arquero's functions by names that could also be the user's. */
export class IsArqueros extends Error {
  readonly given: Call;

  constructor(given: Call) {
    super("A function of rows uses Arquero's functions without their object.");
    this.given = given;
  }
}

type Aggregate = ReturnType<typeof op.count>;
const Aggregate = (registry["count"] as () => Aggregate)().constructor as new () => Aggregate;

let running: RowCall | undefined;

/** Records for each row which function is called, also after a failure, for `whileRowsAreRead()`. */
export function noted(call: Native, about: RowCall): Native {
  return (row, other) => {
    const outer = running;
    running = about;
    const result = call(row, other);
    running = outer;
    return result instanceof Aggregate ? refuse(about, result) : result;
  };
}

/** Runs a verb that calls functions for rows. */
export function whileRowsAreRead(call: () => unknown): unknown {
  const outer = running;
  try {
    return call();
  } catch (error) {
    throw running && running !== outer && isUndeclared(running, error) ? new IsArqueros(running.given) : error;
  } finally {
    running = outer;
  }
}

function isUndeclared({ undeclared }: RowCall, error: unknown): boolean {
  const name = error instanceof Error && error.name === "ReferenceError" && /^(\S+) is not /.exec(error.message)?.[1];
  return typeof name === "string" && undeclared.has(name);
}

function refuse({ verb, given, unsure }: RowCall, { name }: Aggregate): never {
  if (unsure.has(name)) throw new IsArqueros(given);
  throw new ArgumentError(`${verb}(): op.${name}() is called in another function, which Arquero cannot compile.`, {
    hint: `Derive it first: .derive({ ${name}: (d) => op.${name}(…) }), then use d.${name}.`,
    facts: { verb, aggregate: name },
  });
}

/**
 * Makes aggregates fail as values of a row. Outside compiled expressions they are only descriptions for arguments of
 * verbs.
 */
export function refuseAggregatesAsValues(): void {
  Object.defineProperty(Aggregate.prototype, Symbol.toPrimitive, {
    value(this: Aggregate, kind: string) {
      return running && kind !== "string" ? refuse(running, this) : this.toString();
    },
    configurable: true,
  });
}
