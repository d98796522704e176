import type { ColumnTable } from "arquero";
import { firstOf } from "../../core/counted.js";
import { ArgumentError } from "../../core/errors.js";
import { nearNames } from "../../core/nearest-name.js";
import { showValue } from "../../core/show-value.js";

const MOST_NAMES = 20;

/**
 * The error for a name that is no column of a table: it names the columns that were probably meant, else those that there are.
 *
 * @param more what else the caller could have given, a sentence; told where no name is near
 */
export function noColumn(name: unknown, table: Pick<ColumnTable, "columnNames">, more = ""): ArgumentError {
  return new ArgumentError(`The table has no column ${showValue(name)}.`, {
    hint: columnHint(String(name), table.columnNames(), more),
    ...(typeof name === "string" ? { facts: { column: name } } : {}),
  });
}

function columnHint(name: string, names: readonly string[], more: string): string {
  const near = nearNames(name, names);
  if (near.length > 0) return `Did you mean ${near.map((one) => showValue(one)).join(" or ")}?`;
  const shown = names.map((one) => showValue(one));
  const all = names.length === 0 ? "It has no columns." : `It has: ${firstOf(shown, MOST_NAMES)}.`;
  return more === "" ? all : `${all} ${more}`;
}

/** What a verb that runs has looked for last, of what its tables do not have. */
interface Search {
  missing?: { readonly name: unknown; readonly table: ColumnTable };
}

let search: Search | undefined;

type Method = (this: ColumnTable, ...values: readonly unknown[]) => unknown;

/** How Arquero tells of a name that it has just looked for: with a text that is cut where the name does not begin. */
const arquerosText = /^(?:Invalid column reference:|Unrecognized column:|Invalid impute column )/;

/** Leaves word of a column that a verb looks for and that is none. */
const asSought = (column: Method): Method =>
  function (name) {
    const found = Reflect.apply(column, this, [name]);
    if (found === undefined && search) search.missing = { name, table: this };
    return found;
  };

/** `range()` takes the number of a column that is none for a place. */
const asPlace = (columnIndex: Method): Method =>
  function (name) {
    const place = Reflect.apply(columnIndex, this, [name]);
    if (place === -1 && search) throw noColumn(name, this);
    return place;
  };

const asVerb = (verb: Method): Method =>
  function (...values) {
    const outer = search;
    const own: Search = {};
    search = own;
    try {
      return Reflect.apply(verb, this, values);
    } catch (error) {
      const { missing } = own;
      if (!missing || !(error instanceof Error) || !arquerosText.test(error.message)) throw error;
      throw noColumn(missing.name, missing.table);
    } finally {
      search = outer;
    }
  };

/**
 * A reader of one column. Arquero says of one that is none that it cannot read `at` of undefined. Called row by row: lists of
 * arguments would take as long as the reading.
 */
const asReader = (read: Method): Method =>
  function (name, row) {
    requireColumn(this, name);
    return read.call(this, name, row);
  };

/** Of a column that is none Arquero gives no values as long as there are no rows: a table of no records has no columns. */
const asValues = (array: Method): Method =>
  function (name, ...rest) {
    if (this.numRows() > 0) requireColumn(this, name);
    return Reflect.apply(array, this, [name, ...rest]);
  };

/** A text that is a weight is a column. */
const asWeighted = (sample: Method): Method =>
  function (...values) {
    const { weight } = Object(values[1]) as { readonly weight?: unknown };
    if (typeof weight === "string") requireColumn(this, weight);
    return Reflect.apply(sample, this, values);
  };

/** A method one of whose options chooses columns: Arquero leaves out what is none, or cannot read `at` of undefined. */
const withChoice =
  (place: number, ...options: readonly string[]) =>
  (method: Method): Method =>
    function (...values) {
      for (const option of options) {
        const chosen: unknown = Object(values[place])[option];
        if (chosen !== undefined && chosen !== null) this.select(chosen as string);
      }
      return Reflect.apply(method, this, values);
    };

function requireColumn(table: ColumnTable, name: unknown): void {
  if (table.data()[name as string] === undefined) throw noColumn(name, table);
}

const verbs =
  "antijoin assign cross dedupe derive except filter fold groupby impute intersect join join_full join_left join_right " +
  "lookup orderby pivot reduce relocate rename rollup sample select semijoin spread union unroll";
const writers = "objects print toArrow toArrowIPC toCSV toHTML toJSON toMarkdown";

/** What is done to methods, by their names; of several the first one is the innermost. */
const told: readonly (readonly [names: string, change: (method: Method) => Method])[] = [
  ["column", asSought],
  ["columnIndex", asPlace],
  ["get getter", asReader],
  ["array", asValues],
  ["sample", asWeighted],
  ["derive relocate", withChoice(1, "before", "after")],
  [writers, withChoice(0, "columns")],
  [verbs, asVerb],
];

/** Lets tables say which column is none, and which was probably meant, whatever they are asked for. */
export function tellMissingColumns(prototype: Record<PropertyKey, unknown>): void {
  for (const [names, change] of told) {
    for (const name of names.split(" ")) {
      const value = Object.defineProperty(change(prototype[name] as Method), "name", { value: name });
      Object.defineProperty(prototype, name, { value, configurable: true, writable: true, enumerable: false });
    }
  }
}
