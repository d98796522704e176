import { ArgumentError } from "../../../core/errors.js";
import { showValue } from "../../../core/show-value.js";

/** What understands cells: TypeScript's native compiler with oxc, or tslab's converter. */
export type EngineName = "typescript" | "tslab";

/** All of them. The first one is taken where none is named. */
export const engineNames: readonly [EngineName, ...EngineName[]] = ["typescript", "tslab"];

/**
 * The engine that is called so.
 *
 * @throws ArgumentError if there is none
 */
export function engineName(name: string = engineNames[0]): EngineName {
  const found = engineNames.find((each) => each === name);
  if (found) return found;
  throw new ArgumentError(`There is no engine ${showValue(name)}.`, { hint: `Take one of ${engineNames.join(", ")}.` });
}
