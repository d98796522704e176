import { type SqlRename, sqlNames } from "../../../columns/export/sql-names.js";
import { propertyNames } from "../../../history/columns/property-names.js";
import type { Dialect } from "../dialect/dialect.js";
import type { ScopeColumn } from "./scope.js";

/** What the columns of a stored result are called, quoted. */
export interface StoredNames {
  /** One for each of the result's own columns. */
  readonly own: readonly string[];
  /** One for each property column. */
  readonly properties: readonly string[];
  /** Those that are not called what the table calls them. */
  readonly renamed: readonly SqlRename[];
}

/**
 * Names for a stored result: those of the table, but where some differ in case only, which SQL does not tell apart.
 *
 * @param own names of the result's own columns
 * @param all the columns of the scope
 * @param columns places of those that the result has
 */
export function storedNames(
  dialect: Dialect,
  own: readonly string[],
  all: readonly ScopeColumn[],
  columns: readonly number[],
): StoredNames {
  const shown = propertyNames(
    all.map(({ name }) => name),
    own,
  );
  const { names, renamed } = sqlNames([
    ...own.map((name) => ({ name })),
    ...columns.map((column) => ({ name: shown[column] ?? "", key: all[column]?.keys[0] ?? "" })),
  ]);
  const quoted = names.map((name) => dialect.identifier(name));
  return { own: quoted.slice(0, own.length), properties: quoted.slice(own.length), renamed };
}
