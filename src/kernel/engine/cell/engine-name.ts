import { setFlagsFromString } from "node:v8";
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

/**
 * Flags for Node processes in which cells run. Importing relative to the notebook's folder, and importing JSON, print a
 * warning on some versions of Node, which would stand in the user's output. An execution that was terminated leaves
 * Node's stack of asynchronous contexts unbalanced, which Node would take for its own fault and end the process.
 */
export const engineFlags: readonly string[] = [
  "--disable-warning=ExperimentalWarning",
  "--no-force-async-hooks-checks",
];

/** The version of V8 that has the flag, and has it on. */
const versionWithFlag = 14;

/**
 * Has V8 add numbers of cells as floating-point ones when they are too large for small integers. V8 14 expects sums of
 * integers to stay below 2⁵³ and checks each, which makes a loop over a field five times slower. It is set while the
 * process runs, since Node does not start with a flag that it does not know, and a kernelspec outlives a version of Node.
 */
export function keepNumbersUnboxed(): void {
  if (Number.parseInt(process.versions.v8, 10) === versionWithFlag)
    setFlagsFromString("--no-additive-safe-int-feedback");
}
