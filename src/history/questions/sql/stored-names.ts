import { asLoggedName } from "../../../tables/export/export-table.js";
import { type SqlRename, sqlNames } from "../../../tables/sql/sql-names.js";
import { propertyNames } from "../../columns/choose-columns.js";
import type { Dialect } from "./dialect/dialect.js";
import type { ScopeColumn } from "./statement-scope.js";

/** Quoted names of the columns of a stored result. */
export interface StoredNames {
  /** One for each of the result's own columns. */
  readonly ownColumns: readonly string[];
  /** One for each property column. */
  readonly properties: readonly string[];
  /** One for each property column that also has its values as logged. */
  readonly asLogged: ReadonlyMap<number, string>;
  /** Columns whose names differ from those of the table. */
  readonly renamed: readonly SqlRename[];
}

/**
 * Names for a stored result: those of the table, except names that differ only in case (SQL ignores case) or that SQL
 * cannot quote.
 *
 * @param ownNames names of the result's own columns
 * @param all the columns of the scope
 * @param columns indices of the columns in the result
 * @param logged indices of the columns that also have their values as logged
 */
export function storedNames(
  dialect: Dialect,
  ownNames: readonly string[],
  all: readonly ScopeColumn[],
  columns: readonly number[],
  logged: ReadonlySet<number> = new Set(),
): StoredNames {
  const propertyColumns = propertyNames(
    all.map(({ name }) => name),
    ownNames,
  );
  const named = (column: number, name = propertyColumns[column] as string) => ({
    name,
    key: (all[column] as ScopeColumn).keys[0] as string,
  });
  const used = new Set([...ownNames, ...columns.map((column) => named(column).name)]);
  const loggedColumns = columns.filter((column) => logged.has(column));
  const { names, renamed } = sqlNames(
    [
      ...ownNames.map((name) => ({ name })),
      ...columns.map((column) => named(column)),
      ...loggedColumns.map((column) => named(column, asLoggedName(named(column).name, used))),
    ],
    dialect.writable,
  );
  const quoted = names.map((name) => dialect.identifier(name));
  const properties = quoted.slice(ownNames.length, ownNames.length + columns.length);
  const behind = quoted.slice(ownNames.length + columns.length);
  const asLogged = new Map(loggedColumns.map((column, index) => [column, behind[index] as string]));
  return { ownColumns: quoted.slice(0, ownNames.length), properties, asLogged, renamed };
}
