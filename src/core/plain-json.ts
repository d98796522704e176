import { ArgumentError } from "./errors.js";
import { reasonOf } from "./reason-of.js";
import { showValue } from "./show-value.js";

/**
 * A value as the JSON data that others will see of it: with `toJSON` applied, without what JSON leaves out. BigInts,
 * which JSON has not, are the text of their digits.
 *
 * @param name what the value is called in errors
 * @throws ArgumentError if it is no JSON, such as a function or a value that holds itself
 */
export function plainJson(value: unknown, name: string): unknown {
  const json = toJson(value, name);
  if (json === undefined) throw new ArgumentError(`${name} must be JSON, not ${showValue(value)}.`);
  return JSON.parse(json);
}

function toJson(value: unknown, name: string): string | undefined {
  try {
    return JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner));
  } catch (cause) {
    const [reason = ""] = reasonOf(cause).split("\n");
    throw new ArgumentError(`${name} must be JSON: ${reason}.`, { cause });
  }
}
