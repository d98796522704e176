import { setFlagsFromString } from "node:v8";
import { ArgumentError } from "../../../core/errors.js";
import { showValue } from "../../../core/show-value.js";

/** Language engines: TypeScript's native compiler with oxc, or tslab's converter. */
export type EngineName = "typescript" | "tslab";

/** All engines. The first one is the default. */
export const engineNames: readonly [EngineName, ...EngineName[]] = ["typescript", "tslab"];

/**
 * Returns the engine with a name.
 *
 * @throws ArgumentError if the name is unknown
 */
export function engineName(name: string = engineNames[0]): EngineName {
  const engine = engineNames.find((each) => each === name);
  if (engine) return engine;
  throw new ArgumentError(`Unknown engine: ${showValue(name)}.`, { hint: `Use one of ${engineNames.join(", ")}.` });
}

/**
 * Flags for Node processes in which cells run. Imports relative to the notebook's folder and JSON imports print a
 * warning on some versions of Node, which would appear in the user's output. A terminated execution leaves Node's stack
 * of asynchronous contexts unbalanced, which Node would treat as an internal error and end the process.
 */
export const engineFlags: readonly string[] = [
  "--disable-warning=ExperimentalWarning",
  "--no-force-async-hooks-checks",
];

/** The first version of V8 that has the flag enabled. */
const versionWithFlag = 14;

/**
 * Makes V8 add numbers of cells as floating-point numbers if they are too large for small integers. V8 14 expects sums
 * of integers to stay below 2⁵³ and checks each, which makes a loop over a field five times slower. The flag is set at
 * run time, since Node does not start with an unknown flag and a kernelspec outlives a version of Node.
 */
export function keepNumbersUnboxed(): void {
  if (Number.parseInt(process.versions.v8, 10) === versionWithFlag)
    setFlagsFromString("--no-additive-safe-int-feedback");
}
