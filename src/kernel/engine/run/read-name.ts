import { readSafely } from "../../../core/read-safely.js";

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
  // What `shareNames` writes reads a variable, and nothing else.
  if (Function.prototype.toString.call(described.get) !== `() => ${name}`) return undefined;
  const read = described.get;
  return readSafely(() => ({ value: read() }), undefined);
}
