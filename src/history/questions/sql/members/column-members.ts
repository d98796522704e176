import { tableMembers } from "../dialect/table-members.js";
import type { Scope } from "../scope/scope.js";

/**
 * `cols`: the columns of a scope, with `name`.
 *
 * @param place what their places are called
 */
export function columnMembers({ dialect, columns }: Scope, place: string): string[] {
  const rows = columns.map(({ name }, column) => [String(column), dialect.text(name)]);
  return tableMembers(dialect, "cols", [place, "name"], rows);
}
