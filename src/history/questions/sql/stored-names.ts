import { asLoggedName } from "../../../tables/export/export-table.js";
import { type SqlRename, sqlNames } from "../../../tables/sql/sql-names.js";
import { propertyNames } from "../../columns/choose-columns.js";
import type { Dialect } from "./dialect/dialect.js";
import type { ScopeColumn } from "./scope.js";

/** What the columns of a stored result are called, quoted. */
export interface StoredNames {
  /** One for each of the result's own columns. */
  readonly own: readonly string[];
  /** One for each property column. */
  readonly properties: readonly string[];
  /** One for each property column whose values are there as they were logged, too. */
  readonly asLogged: ReadonlyMap<number, string>;
  /** Those that are not called what the table calls them. */
  readonly renamed: readonly SqlRename[];
}

/**
 * Names for a stored result: those of the table, but where some differ in case only, which SQL does not tell apart, or
 * cannot be written in it.
 *
 * @param own names of the result's own columns
 * @param all the columns of the scope
 * @param columns places of those that the result has
 * @param logged places of those whose values the result has as they were logged, too
 */
export function storedNames(
  dialect: Dialect,
  own: readonly string[],
  all: readonly ScopeColumn[],
  columns: readonly number[],
  logged: ReadonlySet<number> = new Set(),
): StoredNames {
  const shown = propertyNames(
    all.map(({ name }) => name),
    own,
  );
  const named = (column: number, name = shown[column] as string) => ({ name, key: all[column]?.keys[0] ?? "" });
  const used = new Set([...own, ...columns.map((column) => named(column).name)]);
  const loggedColumns = columns.filter((column) => logged.has(column));
  const { names, renamed } = sqlNames(
    [
      ...own.map((name) => ({ name })),
      ...columns.map((column) => named(column)),
      ...loggedColumns.map((column) => named(column, asLoggedName(named(column).name, used))),
    ],
    dialect.writable,
  );
  const quoted = names.map((name) => dialect.identifier(name));
  const properties = quoted.slice(own.length, own.length + columns.length);
  const behind = quoted.slice(own.length + columns.length);
  const asLogged = new Map(loggedColumns.map((column, index) => [column, behind[index] as string]));
  return { own: quoted.slice(0, own.length), properties, asLogged, renamed };
}
