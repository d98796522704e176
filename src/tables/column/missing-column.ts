import type { ColumnTable } from "arquero";
import { firstOf } from "../../core/counted.js";
import { ArgumentError } from "../../core/errors.js";
import { nearNames } from "../../core/nearest-name.js";
import { showValue } from "../../core/show-value.js";

const MOST_NAMES = 20;

/**
 * The error for an unknown column of a table. It suggests the columns that were probably meant, or else lists all
 * columns.
 *
 * @param more a sentence with other valid values, added if no name is similar
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
  const list = names.map((one) => showValue(one));
  const all = names.length === 0 ? "It has no columns." : `It has: ${firstOf(list, MOST_NAMES)}.`;
  return more === "" ? all : `${all} ${more}`;
}

/** The last missing column that the running verb looked for. */
interface Search {
  missing?: { readonly name: unknown; readonly table: ColumnTable };
}

let search: Search | undefined;

type Method = (this: ColumnTable, ...values: readonly unknown[]) => unknown;

/** Messages of Arquero about a missing column; the end of the name may be cut off. */
const arquerosText = /^(?:Invalid column reference:|Unrecognized column:|Invalid impute column )/;

/** Records a missing column that a verb looks for. */
const asSought = (column: Method): Method =>
  function (name) {
    const values = Reflect.apply(column, this, [name]);
    if (values === undefined && search) search.missing = { name, table: this };
    return values;
  };

/** `range()` uses the index of a missing column as a position. */
const asPlace = (columnIndex: Method): Method =>
  function (name) {
    const index = Reflect.apply(columnIndex, this, [name]);
    if (index === -1 && search) throw noColumn(name, this);
    return index;
  };

const asVerb = (verb: Method): Method =>
  function (...values) {
    const outer = search;
    const current: Search = {};
    search = current;
    try {
      return Reflect.apply(verb, this, values);
    } catch (error) {
      const { missing } = current;
      if (!missing || !(error instanceof Error) || !arquerosText.test(error.message)) throw error;
      throw noColumn(missing.name, missing.table);
    } finally {
      search = outer;
    }
  };

/**
 * Wraps a reader of one column: for a missing one, Arquero fails with "cannot read `at` of undefined". Called for each
 * row, so argument lists would take as long as reading.
 */
const asReader = (read: Method): Method =>
  function (name, row) {
    requireColumn(this, name);
    return read.call(this, name, row);
  };

/**
 * For a missing column, Arquero returns an empty array if the table has no rows: a table of no records has no columns.
 */
const asValues = (array: Method): Method =>
  function (name, ...rest) {
    if (this.numRows() > 0) requireColumn(this, name);
    return Reflect.apply(array, this, [name, ...rest]);
  };

/** A string as weight is the name of a column. */
const asWeighted = (sample: Method): Method =>
  function (...values) {
    const { weight } = Object(values[1]) as { readonly weight?: unknown };
    if (typeof weight === "string") requireColumn(this, weight);
    return Reflect.apply(sample, this, values);
  };

/**
 * Wraps a method with an option that chooses columns: Arquero omits a missing one, or fails with "cannot read `at` of
 * undefined".
 */
const withChoice =
  (index: number, ...options: readonly string[]) =>
  (method: Method): Method =>
    function (...values) {
      for (const option of options) {
        const chosen: unknown = Object(values[index])[option];
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

/** Changes to methods, by name; for several changes, the first is the innermost. */
const wrapped: readonly (readonly [names: string, change: (method: Method) => Method])[] = [
  ["column", asSought],
  ["columnIndex", asPlace],
  ["get getter", asReader],
  ["array", asValues],
  ["sample", asWeighted],
  ["derive relocate", withChoice(1, "before", "after")],
  [writers, withChoice(0, "columns")],
  [verbs, asVerb],
];

/** Makes all methods of tables report missing columns, with suggestions. */
export function tellMissingColumns(prototype: Record<PropertyKey, unknown>): void {
  for (const [names, change] of wrapped) {
    for (const name of names.split(" ")) {
      const value = Object.defineProperty(change(prototype[name] as Method), "name", { value: name });
      Object.defineProperty(prototype, name, { value, configurable: true, writable: true, enumerable: false });
    }
  }
}
