import { setFlagsFromString } from "node:v8";

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
