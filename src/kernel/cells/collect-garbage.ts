import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Gives back the memory of what no variable holds any more. An idle V8 keeps it: it collects when it needs room, and by
 * itself no more.
 */
export function collectGarbage(): void {
  // Only contexts that are made from now on get the function, and none of the user's is.
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  if (typeof collect === "function") collect();
}
