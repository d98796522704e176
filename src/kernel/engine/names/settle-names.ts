import type { CellError } from "../cell/language-engine.js";
import type { NameFields } from "./name-fields.js";

/**
 * Makes undefined what a failed cell declared and did not come to set, which no cell could read otherwise. Gives the
 * names.
 */
export function settleNames(
  names: Readonly<Record<string, unknown>>,
  fields: NameFields,
  declared: readonly string[],
): readonly string[] {
  const unset = declared.filter((name) => !isSet(names, name));
  for (const name of unset) fields.define(name, undefined);
  return unset;
}

/** An error that says as well which names have no value. */
export function tellUnset(error: CellError, unset: readonly string[]): CellError {
  if (unset.length === 0) return error;
  const list = unset.map((name) => `\`${name}\``).join(", ");
  const are = unset.length === 1 ? "is" : "are";
  return { ...error, traceback: [...error.traceback, "", `${list} ${are} undefined: the cell ended before.`] };
}

function isSet(names: Readonly<Record<string, unknown>>, name: string): boolean {
  try {
    void names[name];
    return true;
  } catch {
    return false;
  }
}
