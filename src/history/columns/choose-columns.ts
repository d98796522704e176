import { ArgumentError } from "../../core/errors.js";
import { nameHint } from "../../core/nearest-name.js";
import { showValue } from "../../core/show-value.js";
import type { PropertyColumn } from "../../layer/property-columns.js";
import { canonicalKey } from "../../layer/property-key.js";
import { NONE } from "../log/change-log.js";

/**
 * Indices of columns by name, in the order of `all`.
 *
 * @throws ArgumentError with the first missing column
 */
export function chooseColumns(all: readonly string[], chosen: readonly string[] | undefined): readonly number[] {
  if (!chosen) return all.map((_, index) => index);
  const indexes = new Set(chosen.map((name) => chooseColumn(all, name)));
  return [...indexes].sort((a, b) => a - b);
}

/**
 * Index of one column by name.
 *
 * @param others further valid names, for the message
 * @throws ArgumentError for a missing column
 */
export function chooseColumn(all: readonly string[], name: string, others: readonly string[] = []): number {
  const index = all.indexOf(name);
  if (index >= 0) return index;
  throw new ArgumentError(`Unknown property column ${showValue(name)}.`, {
    hint: nameHint(name, [...all, ...others]),
    ...(typeof name === "string" ? { facts: { column: name } } : {}),
  });
}

/**
 * Names of property columns in a result with other columns. A property whose name is already taken is called
 * `properties.<name>`, as in layers.
 *
 * @param ownNames names of the result's own columns
 */
export function propertyNames(names: readonly string[], ownNames: readonly string[]): readonly string[] {
  const taken = new Set([...ownNames, ...names.filter((name) => !ownNames.includes(name))]);
  return names.map((name) => {
    if (!ownNames.includes(name)) return name;
    let free = name;
    while (taken.has(free)) free = `properties.${free}`;
    taken.add(free);
    return free;
  });
}

/**
 * Column of each key of a log; `NONE` if it is not among the columns.
 *
 * @param keys canonical
 */
export function columnsByKey(columns: readonly PropertyColumn[], keys: readonly string[]): Int32Array {
  const columnOf = new Map(
    columns.flatMap((column, index) => column.keys.map(({ key }) => [canonicalKey(key), index] as const)),
  );
  return Int32Array.from(keys, (key) => columnOf.get(key) ?? NONE);
}
