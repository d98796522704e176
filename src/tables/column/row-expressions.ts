import type { ColumnTable } from "arquero";
import { ArgumentError } from "../../core/errors.js";
import { noColumn } from "./missing-column.js";
import { type RowFunction, readRowFunction, standardNames } from "./read-row-function.js";
import {
  CALL,
  type Call,
  type Expected,
  knownOps,
  type Native,
  nothing,
  type Row,
  RowCalls,
  registry,
} from "./row-aggregates.js";
import type { Comparison, Named, OpCall, Span } from "./row-function.js";

/** Where in a verb an expression stands. */
export interface Position {
  readonly verb: string;
  /** The tables whose rows it is given. */
  readonly tables: readonly ColumnTable[];
  /** Whether there is no single row: `rollup`. */
  readonly isOfGroup?: boolean;
  /** Whether Arquero gives rows to those expressions only that have an aggregate: `impute`. */
  readonly needsAggregate?: boolean;
}

const MOST_READ = 2_000;
type Texts = Map<string, RowFunction | undefined>;
/** Functions and texts, of one row and of two. */
const texts: Readonly<Record<"functions" | "texts", readonly Texts[]>> = {
  functions: [new Map(), new Map()],
  texts: [new Map(), new Map()],
};
let knownThen = 0;

/** The expressions of one call of a verb, as Arquero is to get them. */
export class Expressions {
  /** What they call, by the names that they have for it among the table's parameters. */
  readonly natives: Record<string, Native> = {};
  /** Functions whose unsure names are Arquero's. */
  readonly #arqueros: ReadonlySet<Call>;
  #count = 0;

  constructor(arqueros: ReadonlySet<Call>) {
    this.#arqueros = arqueros;
  }

  get areNative(): boolean {
    return this.#count > 0;
  }

  /** Any value that a verb takes for an expression; the same value where Arquero is to have it as it is. */
  rewrite(value: unknown, position: Position, areTextsColumns = false): unknown {
    if (typeof value === "function") return this.#function(value as Call, position) ?? value;
    if (typeof value === "string") return areTextsColumns ? value : (this.#text(value, position) ?? value);
    if (!isWrapped(value)) return value;
    const expr = this.rewrite(value.expr, position, areTextsColumns);
    return expr === value.expr ? value : rewrap(value, expr);
  }

  /** Texts are Arquero's own language, but for methods and other JavaScript in them. */
  #text(text: string, position: Position): Call | undefined {
    const found = readOnce(text, position, "texts");
    if (!found?.isPlain || found.isSimple) return undefined;
    const facts = new Facts(found, position, true);
    return facts.isOdd && facts.closures.length === 0 ? codeFunction(this.#mixed(facts, undefined)) : undefined;
  }

  #function(given: Call, position: Position): Call | undefined {
    const found = readOnce(Function.prototype.toString.call(given), position, "functions");
    if (!found) return codeFunction(this.#native(given, undefined, position));
    // Arquero refuses what gives no value for a row.
    if (!found.isPlain || (found.isSimple && !position.needsAggregate)) return undefined;
    const facts = new Facts(found, position, this.#arqueros.has(given) || position.isOfGroup === true);
    const { aggregates, closures, unsure, isOdd } = facts;
    const isUnread = position.needsAggregate && aggregates.length === 0 && found.uses.length > 0;
    if (!isOdd && closures.length === 0 && unsure.size === 0 && !isUnread) return undefined;
    if (aggregates.length === 0) {
      if (position.isOfGroup && found.uses.length > 0) throw facts.noRow();
      if (!facts.isArqueros || closures.length > 0) return codeFunction(this.#native(given, facts, position));
    }
    const isInArgument = ({ start }: Span) => aggregates.some((call) => isIn(call, start));
    const isText =
      closures.length === 0 &&
      unsure.size === 0 &&
      found.text !== "" &&
      !found.locals.some((local) => isInArgument(local));
    return codeFunction(this.#mixed(facts, isText ? undefined : given));
  }

  #key(native: Native): string {
    const key = `siteframe ${this.#count++}`;
    this.natives[key] = native;
    return key;
  }

  /** A function that is called for each row, as it is. */
  #native(given: Call, facts: Facts | undefined, { verb, tables, needsAggregate }: Position): string {
    const calls = new RowCalls(verb, given, facts ?? unread);
    const key = this.#key(calls.native(callFor(given, tables)));
    const names = tables.length === 1 ? ["d"] : ["a", "b"];
    const rows = tables.map((table, row) => {
      const columns = facts ? facts.columns(row, () => true) : table.columnNames();
      return rowCode(columns, (column) => `${names[row]}[${quote(column)}]`);
    });
    const aggregates = needsAggregate ? "[op.count()]" : "0";
    return `(${names.join(",")},$)=>op.${CALL}($[${quote(key)}],${rows[0]},${rows[1] ?? "0"},${aggregates})`;
  }

  /**
   * A function with aggregates: Arquero computes them, and the rest is called with them.
   *
   * @param given the function itself, which may use variables around it; without it, what its text says
   */
  #mixed(facts: Facts, given: Call | undefined): string {
    const { found, position, aggregates } = facts;
    const { tables, isOfGroup, needsAggregate } = position;
    if (found.rows.some(({ kind }) => kind === "other") || (found.parameter && found.parameter.name === undefined))
      throw facts.error("takes its row apart in a way that Arquero does not know", "Write the row as one parameter.");
    const isRest = (place: number) => !aggregates.some((call) => isIn(call, place));
    const isOfRow = ({ start }: { readonly start: number }) =>
      isRest(start) && !(found.parameters && isIn(found.parameters, start));
    if (isOfGroup && found.uses.some(isOfRow)) throw facts.noRow();
    const { code: parameterCode, columnCodes, dollar } = parameterNames(found, tables.length);
    const call = (native: Native, isRead: (place: number) => boolean, values: string) => {
      const rows = [0, 1].map((row) => {
        const columnCode = columnCodes[row];
        return columnCode ? rowCode(facts.columns(row, isRead), columnCode) : "0";
      });
      return `op.${CALL}(${dollar}[${quote(this.#key(native))}],${rows.join(",")},${values})`;
    };
    const argument = (span: Span, place: number, index: number): string => {
      if (!facts.isOddIn(span)) return facts.textOf(span);
      const isOf = (at: number) => isIn(span, at);
      const readsRow = [...found.uses, ...found.locals].some(({ start }) => isOf(start));
      if (!given) return call(facts.textArgument(span), isOf, "0");
      return call(facts.argument(given, place, index, readsRow), readsRow ? () => true : () => false, "0");
    };
    const codes = aggregates.map((aggregate, place) => {
      const values = aggregate.arguments.map((span, index) => argument(span, place, index));
      return `op.${aggregate.name}(${values.join(",")})`;
    });
    if (needsAggregate && codes.length === 0) codes.push("op.count()");
    const values = codes.length > 0 ? `[${codes.join(",")}]` : "0";
    // The function itself computes arguments of aggregates, too, though nothing is done with them.
    const isRead = isOfGroup ? () => false : given ? () => true : isRest;
    return `(${parameterCode})=>${call(given ? facts.native(given) : facts.textNative(), isRead, values)}`;
  }
}

function readOnce(text: string, { tables }: Position, kind: keyof typeof texts): RowFunction | undefined {
  const read = texts[kind][tables.length - 1];
  const found = read?.get(text);
  // Users may add functions to those that Arquero knows.
  if (found?.isSimple || !read || (found && knownThen === Object.keys(registry).length)) return found;
  if (knownThen !== Object.keys(registry).length) for (const each of [...texts.functions, ...texts.texts]) each.clear();
  if (read.size > MOST_READ) read.clear();
  knownThen = Object.keys(registry).length;
  if (!read.has(text)) read.set(text, readRowFunction(text, tables.length, knownOps, kind === "texts"));
  return read.get(text);
}

const unread: Expected = { unsure: new Set(), doubtful: new Set(), aggregates: [] };

interface Wrapped {
  readonly expr: unknown;
}

/** Whether a value is `desc(…)`, `rolling(…)` or the like of an expression that is to be compiled. */
export function isWrapped(value: unknown): value is Wrapped {
  if (typeof value !== "object" || value === null || !("expr" in value)) return false;
  return !("escape" in value && value.escape) && !("field" in value && value.field);
}

/** The same of another expression. */
export function rewrap(value: Wrapped, expr: unknown): unknown {
  return Object.assign(Object.create(Object.getPrototypeOf(value)), value, { expr });
}

/** Whether a function needs more than the columns of the row, as they are. */
export function isComputed(given: Call, table: ColumnTable): boolean {
  const position = { verb: "orderby", tables: [table] };
  const found = readOnce(Function.prototype.toString.call(given), position, "functions");
  if (!found) return true;
  const { isOdd, closures, unsure } = new Facts(found, position, false);
  const isPlain = !isOdd && closures.length === 0 && unsure.size === 0;
  const usesOthers = found.calls.some((call) => !call.isOfTable) || found.usesParameters || found.free.length > 0;
  return found.isPlain && (!isPlain || usesOthers);
}

const DERIVE_FIRST =
  "Derive the value as a column first, or give the variable by table.params({ name: value }) and $.name.";

const isIn = ({ start, end }: Span, place: number) => place >= start && place < end;
const quote = (text: string) => JSON.stringify(text);

/** A text for Arquero where a function must stand. */
function codeFunction(code: string): Call {
  return Object.assign(() => undefined, { toString: () => code });
}

function rowCode(columns: readonly string[], value: (column: string) => string): string {
  // As a written key, `__proto__` is none.
  const key = (column: string) => (column === "__proto__" ? `["__proto__"]` : quote(column));
  return `{${columns.map((column) => `${key(column)}:${value(column)}`).join(",")}}`;
}

function parametersOf(tables: readonly ColumnTable[]): Row {
  return Object.assign({}, ...[...tables].reverse().map((table) => table.params())) as Row;
}

/** Calls a function as verbs do. */
function callFor(given: Call, tables: readonly ColumnTable[]): (row: Row, other: Row) => unknown {
  const parameters = parametersOf(tables);
  return tables.length === 1 ? (row) => given(row, parameters) : (row, other) => given(row, other, parameters);
}

/** The parameters of a function as Arquero is to read them, how columns are named there, and the table's parameters. */
function parameterNames(found: RowFunction, rowCount: number) {
  const { rows, text, parameters, parameter, isFunction } = found;
  const isTaken = (name: string) => rows.some((row) => row.kind === "name" && row.name === name);
  const free = (name: string): string => (isTaken(name) ? free(`${name}_`) : name);
  const missing = (rowCount === 1 ? ["d"] : ["a", "b"]).slice(rows.length).map(free);
  const dollar = parameter?.name ?? free("$");
  const own = parameters ? [text.slice(parameters.start, parameters.end)] : [];
  const names = isFunction ? [...own, ...missing] : rows.map((row) => (row.kind === "name" ? row.name : ""));
  const code = isFunction && parameter ? names : [...names, dollar];
  const member = (name: string) => (column: string) => `${name}[${quote(column)}]`;
  const columnCodes = rows.map((row) =>
    row.kind === "name"
      ? member(row.name)
      : (column: string) => (row.kind === "pattern" && row.aliases.get(column)) || "undefined",
  );
  return { code: code.join(","), columnCodes: [...columnCodes, ...missing.map(member)], dollar };
}

/** What a text says, for the tables that it is used on. */
class Facts implements Expected {
  readonly found: RowFunction;
  readonly position: Position;
  /** Whether names that may be Arquero's are taken for it. */
  readonly isArqueros: boolean;
  /** Aggregates and window functions, without those in others. */
  readonly aggregates: readonly OpCall[];
  /** Variables around the function. */
  readonly closures: readonly Named[];
  readonly unsure: ReadonlySet<string>;
  readonly doubtful: ReadonlySet<string>;
  /** Whether Arquero would refuse it, or make something else of it. */
  readonly isOdd: boolean;

  constructor(found: RowFunction, position: Position, isArqueros: boolean) {
    this.found = found;
    this.position = position;
    this.isArqueros = isArqueros;
    const parameters = parametersOf(position.tables);
    const isGiven = (name: string) => Object.hasOwn(parameters, name);
    const ofTable = found.calls.filter((call) => call.isOfTable && (call.isSure || isArqueros));
    this.aggregates = ofTable.filter((call) => !ofTable.some((other) => other !== call && isIn(other, call.start)));
    this.closures = found.free.filter(({ name }) => !isGiven(name) && !standardNames.has(name));
    const unsure = [...found.calls.filter((call) => !call.isSure), ...found.constants].map(({ name }) => name);
    const heads = found.calls.map(({ callee }) => this.textOf(callee).replace(/[.\s].*/s, ""));
    this.unsure = new Set(isArqueros ? [] : unsure);
    this.doubtful = new Set(isArqueros ? [] : [...unsure, ...heads, ...found.opNames]);
    this.isOdd =
      found.odd.length > 0 ||
      found.free.some(({ name }) => standardNames.has(name) && !isGiven(name)) ||
      found.locals.some(({ name, start }) => isGiven(name) || this.aggregates.some((call) => isIn(call, start))) ||
      found.comparisons.some((comparison) => isMistaken(comparison, position.tables));
  }

  textOf({ start, end }: Span): string {
    return this.found.text.slice(start, end);
  }

  /** Whether Arquero would refuse a part of it, or make something else of it. */
  isOddIn(span: Span): boolean {
    const { odd, free, comparisons, calls, locals } = this.found;
    const parameters = parametersOf(this.position.tables);
    return (
      odd.some((place) => isIn(span, place)) ||
      locals.some(({ start }) => isIn(span, start)) ||
      free.some(({ start, name }) => isIn(span, start) && !Object.hasOwn(parameters, name)) ||
      calls.some((call) => !call.isSure && this.unsure.has(call.name) && isIn(span, call.start)) ||
      comparisons.some((comparison) => isMistaken(comparison, this.position.tables))
    );
  }

  /** The columns of a row that are read in some places. */
  columns(row: number, isRead: (place: number) => boolean): readonly string[] {
    const table = this.position.tables[row];
    if (!table) return [];
    const columns = new Set<string>();
    for (const { row: of, column, start } of this.found.uses) {
      if (of !== row || !isRead(start)) continue;
      const isColumn = column !== undefined && Object.hasOwn(table.data(), column);
      // Objects have members of their own, such as `toString`.
      if (column === undefined || (!isColumn && column in Object.prototype)) return table.columnNames();
      if (!isColumn) throw noColumn(column, table);
      columns.add(column);
    }
    return [...columns];
  }

  /** The function itself, with the values of its aggregates. */
  native(given: Call): Native {
    const { verb, tables, isOfGroup } = this.position;
    this.#checkNames();
    const call = callFor(given, tables);
    return new RowCalls(verb, given, this).native(isOfGroup ? () => call(nothing, nothing) : call);
  }

  /** An argument of an aggregate, as the function itself computes it. */
  argument(given: Call, place: number, index: number, readsRow: boolean): Native {
    const { verb, tables } = this.position;
    this.#checkNames();
    if (this.aggregates[place]?.isConditional)
      throw this.error("gives an aggregate, not in every row, what Arquero cannot compile", DERIVE_FIRST);
    const call = callFor(given, tables);
    const values = new RowCalls(verb, given, this, place).wanted(readsRow ? call : () => call(nothing, nothing));
    return (row, other) => values(row, other)[index];
  }

  /** Which of two calls of one name is called is known only if each row calls both. */
  #checkNames(): void {
    const { aggregates } = this;
    if (aggregates.every((call) => !call.isConditional)) return;
    for (const call of aggregates)
      if (aggregates.some(({ name, ...span }) => name === call.name && this.textOf(span) !== this.textOf(call)))
        throw this.error(`has several op.${call.name}(), not all of them in every row`, DERIVE_FIRST);
  }

  /** What the text says, with the values of its aggregates. */
  textNative(): Native {
    const { found, position, aggregates } = this;
    const body = this.#edited({ start: 0, end: found.text.length }, aggregates);
    const values: unknown[] = [];
    const compiled = this.#compile(found.isFunction ? body : `(${this.#parameters})=>(${body})`, values);
    const call = callFor(compiled, position.tables);
    return (row, other, given) => {
      for (let index = 0; index < aggregates.length; index++) values[index] = given[index];
      return position.isOfGroup ? call(nothing, nothing) : call(row, other);
    };
  }

  /** What the text says of an argument of an aggregate. */
  textArgument(span: Span): Native {
    const inner = this.found.calls.find((call) => call.isOfTable && isIn(span, call.start));
    if (inner) throw this.error("has an aggregate in an aggregate", DERIVE_FIRST);
    return callFor(this.#compile(`(${this.#parameters})=>(${this.#edited(span, [])})`, []), this.position.tables);
  }

  get #parameters(): string {
    const { parameters, isFunction, rows } = this.found;
    if (parameters) return this.textOf(parameters);
    return isFunction ? "" : [...rows.map((row) => (row.kind === "name" ? row.name : "")), "$"].join(",");
  }

  #compile(code: string, values: readonly unknown[]): Call {
    const parameters = parametersOf(this.position.tables);
    const body = `"use strict"; return (${code}\n);`;
    try {
      return new Function("op", "parameters", "aggregates", body)(registry, parameters, values);
    } catch (cause) {
      throw this.error("cannot be divided into aggregates and the rest", DERIVE_FIRST, cause);
    }
  }

  /** A part of the text, in which Arquero's names are written as JavaScript has them. */
  #edited(span: Span, aggregates: readonly OpCall[]): string {
    const { calls, constants, free } = this.found;
    const parameters = parametersOf(this.position.tables);
    const others = [
      ...calls
        .filter((call) => !call.isOfTable && !this.textOf(call.callee).startsWith("Math."))
        .map((call) => ({ ...call.callee, text: `op.${call.name}` })),
      ...constants.map((one) => ({ ...one, text: `Math.${one.name}` })),
      ...free
        .filter((one) => Object.hasOwn(parameters, one.name))
        .map((one) => ({ ...one, text: `parameters[${quote(one.name)}]` })),
    ];
    const edits = [
      ...aggregates.map((call, index) => ({ ...call, text: `aggregates[${index}]` })),
      ...others.filter((edit) => !aggregates.some((call) => isIn(call, edit.start))),
    ].filter((edit) => isIn(span, edit.start));
    let text = "";
    let place = span.start;
    for (const edit of edits.sort((a, b) => a.start - b.start)) {
      text += this.found.text.slice(place, edit.start) + edit.text;
      place = edit.end;
    }
    return text + this.found.text.slice(place, span.end);
  }

  noRow(): ArgumentError {
    const { verb } = this.position;
    return this.error(
      "reads a value of one row, outside of an aggregate",
      `${verb}() has no single row: put what is of a row into an aggregate, as in op.max(d.x), or derive() it first.`,
    );
  }

  error(what: string, hint: string, cause?: unknown): ArgumentError {
    const { verb } = this.position;
    const text = this.found.text.replaceAll(/\s+/g, " ");
    return new ArgumentError(
      `A function of ${verb}() ${what}: ${text.length > 200 ? `${text.slice(0, 199)}…` : text}`,
      {
        hint,
        cause,
        facts: { verb, function: this.found.text },
      },
    );
  }
}

/** Arquero says of a value that is not among the keys of a column that no row differs from it. */
function isMistaken({ row, column, value }: Comparison, tables: readonly ColumnTable[]): boolean {
  const found: unknown = tables[row]?.column(column);
  if (typeof found !== "object" || found === null || !("keyFor" in found)) return false;
  return typeof found.keyFor === "function" && found.keyFor(value) < 0;
}
