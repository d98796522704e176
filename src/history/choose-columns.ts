import { ArgumentError } from "../core/errors.js";
import { showValue } from "../core/show-value.js";

/**
 * Indexes of columns by name, in the order of `all`.
 *
 * @throws ArgumentError naming the first column that there is not
 */
export function chooseColumns(all: readonly string[], chosen: readonly string[] | undefined): readonly number[] {
  if (!chosen) return all.map((_, index) => index);
  for (const name of chosen) {
    if (all.includes(name)) continue;
    throw new ArgumentError(`There is no property column ${showValue(name)}.`, {
      hint: `There are: ${all.map((column) => showValue(column)).join(", ")}.`,
      facts: { column: name },
    });
  }
  return all.flatMap((name, index) => (chosen.includes(name) ? [index] : []));
}
