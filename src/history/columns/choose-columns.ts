import { ArgumentError } from "../../core/errors.js";
import { nearestName } from "../../core/nearest-name.js";
import { showValue } from "../../core/show-value.js";

/**
 * Indexes of columns by name, in the order of `all`.
 *
 * @throws ArgumentError naming the first column that there is not
 */
export function chooseColumns(all: readonly string[], chosen: readonly string[] | undefined): readonly number[] {
  if (!chosen) return all.map((_, index) => index);
  const indexes = new Set(chosen.map((name) => chooseColumn(all, name)));
  return [...indexes].sort((a, b) => a - b);
}

/**
 * Index of one column by name.
 *
 * @throws ArgumentError if there is none
 */
export function chooseColumn(all: readonly string[], name: string): number {
  const index = all.indexOf(name);
  if (index >= 0) return index;
  throw new ArgumentError(`There is no property column ${showValue(name)}.`, {
    hint: `${meantName(all, name)}There are: ${all.map((column) => showValue(column)).join(", ")}.`,
    facts: { column: name },
  });
}

function meantName(all: readonly string[], name: unknown): string {
  const meant = typeof name === "string" ? nearestName(name, all) : undefined;
  return meant === undefined ? "" : `Did you mean ${showValue(meant)}? `;
}
