import { ArgumentError } from "../../core/errors.js";
import { showValue } from "../../core/show-value.js";

/**
 * Checks the options of a call that runs SQL: a sandbox that was asked for in a wrong way must not be none.
 *
 * @param names of its options
 * @throws ArgumentError
 */
export function checkSqlOptions(call: string, names: readonly string[], options: unknown): void {
  const hint = `It takes an object of options: ${names.join(", ")}.`;
  if (typeof options !== "object" || options === null) {
    throw new ArgumentError(`${call}() takes no ${showValue(options)}.`, { hint });
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new ArgumentError(`${call}() has no option ${showValue(unknown)}.`, { hint });
  const sandbox = "sandbox" in options ? options.sandbox : undefined;
  if (sandbox === undefined || typeof sandbox === "boolean") return;
  throw new ArgumentError(`The option sandbox is true or false, not ${showValue(sandbox)}.`);
}
