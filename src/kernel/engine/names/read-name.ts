import { readSafely } from "../../../core/read-safely.js";
import { readsField } from "./name-fields.js";

/**
 * The value of a name of cells, unless it has none yet, or is not to be had without running the user's code: a cell may
 * have put a getter of its own on `exports`.
 */
export function readName(
  names: Readonly<Record<string, unknown>>,
  name: string,
): { readonly value: unknown } | undefined {
  const described = Object.getOwnPropertyDescriptor(names, name);
  if (!described) return undefined;
  if (!described.get) return { value: described.value };
  const read = described.get;
  // What `shareNames` writes reads a variable, and nothing else.
  if (!readsField(read) && Function.prototype.toString.call(read) !== `() => ${name}`) return undefined;
  return readSafely(() => ({ value: read() }), undefined);
}
